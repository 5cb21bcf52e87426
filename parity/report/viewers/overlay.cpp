// Node data and graphs for Model Explorer.
#include "parity/report/viewers/overlay.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "parity/core/terminal/text.hpp"

namespace plumb::parity::report {
namespace {

using OrderedJson = nlohmann::ordered_json;
using core::terminal::printable;

struct Measure {
  const char* name;
  double (*of)(const cases::NodeResult& node);
};

constexpr std::array measures = {
    Measure{"ratio", [](const cases::NodeResult& node) { return node.gated().ratio(); }},
    Measure{"ulp", [](const cases::NodeResult& node) { return node.gated().max_ulp.value; }},
    Measure{"inherited", [](const cases::NodeResult& node) { return node.inherited.max_abs.value; }},
    Measure{"time", [](const cases::NodeResult& node) {
              return node.device_ns ? 1e-3 * static_cast<double>(*node.device_ns) : compare::not_computed;
            }}};

/// The largest value by graph and by name of tensor.
using Values = std::map<std::string, std::map<std::string, double>>;

/// Names of graphs: of a file what is before its extension or, where another file has that name already, all of it.
class GraphNames {
 public:
  const std::string& of(const std::string& file) {
    const auto [place, is_new] = names_.try_emplace(file);
    if (!is_new) return place->second;
    const std::string stem = printable(std::filesystem::path(file).stem().string());
    place->second = taken_.insert(stem).second ? stem : printable(file);
    return place->second;
  }

 private:
  std::map<std::string, std::string> names_;  ///< by file
  std::set<std::string> taken_;
};

/// JSON has no infinities: what is beyond any number is the largest.
double finite(double x) { return std::isinf(x) ? std::copysign(std::numeric_limits<float>::max(), x) : x; }

std::string data_json(const Measure& measure, const Values& values) {
  OrderedJson graphs = OrderedJson::object();
  for (const auto& [graph, nodes] : values) {
    OrderedJson results = OrderedJson::object();
    for (const auto& [name, value] : nodes) results[name] = {{"value", finite(value)}};
    graphs[graph] = {{"name", std::string("plumb ") + measure.name},
                     {"results", std::move(results)},
                     {"gradient",
                      {{{"stop", 0}, {"bgColor", "#d6e6f7"}},
                       {{"stop", 0.5}, {"bgColor", "#fbe3c4"}},
                       {{"stop", 1}, {"bgColor", "#f0932b"}}}}};
  }
  return graphs.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

/// A node with the nodes that it reads, in a group for each part of its label that "/" ends.
OrderedJson node_of_viewer(const ir::Graph& graph, const ir::Node& node) {
  const std::size_t slash = node.label.rfind('/');
  OrderedJson edges = OrderedJson::array(), outputs = OrderedJson::array();
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    const ir::Value v = node.inputs[k];
    const auto from = graph.producer(v);
    const std::string source = from ? graph.nodes()[*from].label : graph.name(v);
    std::size_t output = 0;
    if (from)
      while (graph.nodes()[*from].outputs[output] != v) ++output;
    edges.push_back({{"sourceNodeId", printable(source)},
                     {"sourceNodeOutputId", std::to_string(output)},
                     {"targetNodeInputId", std::to_string(k)}});
  }
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    const std::string type = ir::cat(graph.type(node.outputs[k]));
    outputs.push_back({{"id", std::to_string(k)},
                       {"attrs",
                        {{{"key", "tensor_name"}, {"value", printable(graph.name(node.outputs[k]))}},
                         {{"key", "type"}, {"value", type}}}}});
  }
  return {{"id", printable(node.label)},
          {"label", node.op.name()},
          {"namespace", slash == std::string::npos ? "" : printable(node.label.substr(0, slash))},
          {"incomingEdges", std::move(edges)},
          {"outputsMetadata", std::move(outputs)}};
}

OrderedJson graph_of_viewer(const std::string& name, const ir::Graph& graph) {
  OrderedJson nodes = OrderedJson::array();
  const auto add_source = [&](const std::string& source, const char* kind) {
    nodes.push_back({{"id", printable(source)}, {"label", kind}, {"namespace", ""}});
  };
  for (const std::string& input : graph.inputs()) add_source(input, "input");
  for (const std::string& param : graph.params()) add_source(param, "param");
  for (const ir::Node& node : graph.nodes()) nodes.push_back(node_of_viewer(graph, node));
  return {{"id", name}, {"nodes", std::move(nodes)}};
}

}  // namespace

std::vector<std::string> overlay_suffixes() {
  std::vector<std::string> suffixes;
  for (const Measure& one : measures) suffixes.push_back(std::string(".") + one.name + ".json");
  suffixes.emplace_back(".graph.json");
  return suffixes;
}

std::vector<OverlayFile> overlay_of(const Cases& cases) {
  std::array<Values, measures.size()> values;
  std::map<std::string, OrderedJson> graphs;
  GraphNames names;
  for (std::size_t at = 0; at < cases.count; ++at) {
    const cases::CaseResult& result = cases.at(at);
    const std::string& name = names.of(result.subject.name);
    if (result.subject.file && !graphs.contains(name))
      graphs.emplace(name, graph_of_viewer(name, result.subject.file->graph));
    for (const cases::NodeResult& node : result.nodes)
      for (std::size_t m = 0; m < measures.size(); ++m) {
        const double value = measures[m].of(node);
        if (std::isnan(value)) continue;
        const auto [place, is_new] = values[m][name].try_emplace(printable(node.name()), value);
        if (!is_new && value > place->second) place->second = value;
      }
  }
  std::vector<OverlayFile> files;
  const std::vector<std::string> suffixes = overlay_suffixes();
  for (std::size_t m = 0; m < measures.size(); ++m) files.push_back({suffixes[m], data_json(measures[m], values[m])});
  OrderedJson list = OrderedJson::array();
  for (auto& [name, graph] : graphs) list.push_back(std::move(graph));
  const OrderedJson collection = {{"label", "plumb"}, {"graphs", std::move(list)}};
  files.push_back({suffixes.back(), collection.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + '\n'});
  return files;
}

}  // namespace plumb::parity::report

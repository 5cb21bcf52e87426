// The values of a graph that another runtime is to dump, by the names that its file has for them.
#include "parity/cli/show/graph_values.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "ir/formats/result_names.hpp"
#include "ir/raw/utf8.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::cli::show {
namespace {

constexpr std::size_t longest_name = 200;  ///< bytes of one in the table

/// One value, as both forms show it.
struct Row {
  std::string name;
  ir::TensorType type;
  std::string_view op;
  bool is_result = false;
  std::vector<std::string> also = {};  ///< further names, in order
};

std::vector<Row> rows_of(const ir::formats::GraphFile& file) {
  const ir::Graph& graph = file.graph;
  std::map<ir::Value, std::vector<std::string>> further;
  for (const auto& [name, value] : file.aliases) further[value].push_back(name);
  std::map<ir::Value, std::string> results;
  for (std::size_t k = 0; k < graph.results().size(); ++k)
    results.emplace(graph.results()[k], ir::formats::result_name(graph, k));
  std::vector<Row> rows;
  for (const ir::Node& node : graph.nodes())
    for (const ir::Value value : node.outputs) {
      const auto result = results.find(value);
      const bool is_result = result != results.end();
      rows.push_back({is_result ? result->second : graph.name(value), graph.type(value), node.op.name(), is_result,
                      std::move(further[value])});
    }
  return rows;
}

nlohmann::ordered_json to_json(const std::string& name, const ir::TensorType& type) {
  auto shape = nlohmann::ordered_json::array();
  for (const std::int64_t extent : type.shape) shape.push_back(extent);
  return {{"name", name}, {"dtype", ir::cat(type.dtype)}, {"shape", shape}};
}

}  // namespace

std::string values_text(const ir::formats::GraphFile& file) {
  core::terminal::TextTable table({"value", "type", "op", "result"}, 4);
  for (const Row& row : rows_of(file)) {
    table.row({row.name, ir::cat(row.type), std::string(row.op), row.is_result ? "yes" : ""});
    for (const std::string& name : row.also) table.note("also " + ir::raw::shown(name, longest_name));
  }
  return table.text();
}

std::string values_json(const ir::formats::GraphFile& file) {
  const ir::Graph& graph = file.graph;
  auto inputs = nlohmann::ordered_json::array(), params = inputs, values = inputs;
  for (ir::Value v = 0; graph.is_source(v); ++v)
    (v < graph.inputs().size() ? inputs : params).push_back(to_json(graph.name(v), graph.type(v)));
  for (const Row& row : rows_of(file)) {
    auto value = to_json(row.name, row.type);
    value["op"] = row.op;
    value["result"] = row.is_result;
    value["also"] = row.also;
    values.push_back(std::move(value));
  }
  const nlohmann::ordered_json all = {
      {"schema", "plumb-values/1"}, {"inputs", inputs}, {"params", params}, {"values", values}};
  // Names of files may hold bytes that are no UTF-8.
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace plumb::parity::cli::show

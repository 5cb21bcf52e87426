#include "parity/cli/show/inspect_graph.hpp"

#include <algorithm>

#include "ir/cost.hpp"
#include "parity/cli/show/print.hpp"

namespace plumb::parity::cli::show {
namespace {

/// The work of all nodes of one op together.
struct Share {
  std::string_view op;
  std::size_t nodes = 0;
  double flops = 0;
  double bytes = 0;  ///< operands read and results written, each once
};

std::vector<Share> shares_of(const ir::Graph& graph) {
  std::vector<Share> shares;
  for (const ir::Node& node : graph.nodes()) {
    auto found = std::find_if(shares.begin(), shares.end(), [&](const Share& s) { return s.op == node.op.name(); });
    if (found == shares.end()) found = shares.insert(found, {node.op.name()});
    ++found->nodes;
    found->flops += ir::cost_of(graph, node).flops;
    found->bytes += static_cast<double>(ir::bytes_of(graph, node));
  }
  std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.flops > b.flops; });
  return shares;
}

void print_sources(const ir::Graph& graph) {
  std::int64_t elements = 0;
  std::size_t bytes = 0;
  for (ir::Value v = graph.inputs().size(); graph.is_source(v); ++v) {
    elements += graph.type(v).shape.elements();
    bytes += graph.type(v).bytes();
  }
  for (ir::Value v = 0; v < graph.inputs().size(); ++v) print("input  {}: {}\n", graph.name(v), ir::cat(graph.type(v)));
  print("params {}: {} elements, {:.1f} MB\n", graph.params().size(), elements, static_cast<double>(bytes) * 1e-6);
  for (const ir::Value v : graph.results()) print("result {}: {}\n", graph.name(v), ir::cat(graph.type(v)));
}

}  // namespace

void print_graph(const ir::formats::GraphFile& file, bool verbose) {
  const ir::Graph& graph = file.graph;
  if (!file.why.empty()) print("{}\n", file.why);
  print("structural hash {:016x}\n", ir::structural_hash(graph));
  print_sources(graph);
  print("\n{:<14} {:>6} {:>12} {:>12}\n", "op", "nodes", "MFLOP", "MB moved");
  Share total;
  for (const Share& share : shares_of(graph)) {
    print("{:<14} {:>6} {:>12.3f} {:>12.3f}\n", share.op, share.nodes, share.flops * 1e-6, share.bytes * 1e-6);
    total.nodes += share.nodes;
    total.flops += share.flops;
    total.bytes += share.bytes;
  }
  print("{:<14} {:>6} {:>12.3f} {:>12.3f}\n", "all", total.nodes, total.flops * 1e-6, total.bytes * 1e-6);
  if (verbose) print("\n{}", ir::to_text(graph));
}

void print_open_model(const ir::formats::OnnxFacts& facts, const std::vector<std::string>& open) {
  for (const ir::formats::OnnxValue& input : facts.inputs) print("input  {}: {}\n", input.name, input.type);
  for (const ir::formats::OnnxValue& output : facts.outputs) print("output {}: {}\n", output.name, output.type);
  print("\n{:<20} {:>6}\n", "operator", "nodes");
  std::size_t all = 0;
  for (const auto& [name, nodes] : facts.ops) {
    print("{:<20} {:>6}\n", name, nodes);
    all += nodes;
  }
  print("{:<20} {:>6}\n\n", "all", all);
  std::string flags;
  for (const std::string& one : open) flags += " --shape " + one;
  print("The model leaves extents open. For its graph give them, as in{}\n", flags);
}

}  // namespace plumb::parity::cli::show

#include "parity/cli/show/inspect_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/cost.hpp"

namespace plumb::parity::cli::show {
namespace {

/// What all nodes of one op do together.
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
  for (ir::Value v = 0; v < graph.inputs().size(); ++v)
    fmt::print("input  {}: {}\n", graph.name(v), ir::cat(graph.type(v)));
  fmt::print("params {}: {} elements, {:.1f} MB\n", graph.params().size(), elements, static_cast<double>(bytes) * 1e-6);
  for (const ir::Value v : graph.results()) fmt::print("result {}: {}\n", graph.name(v), ir::cat(graph.type(v)));
}

}  // namespace

void print_graph(const ir::formats::GraphFile& file, bool verbose) {
  const ir::Graph& graph = file.graph;
  if (!file.why.empty()) fmt::print("{}\n", file.why);
  fmt::print("structural hash {:016x}\n", ir::structural_hash(graph));
  print_sources(graph);
  fmt::print("\n{:<14} {:>6} {:>12} {:>12}\n", "op", "nodes", "MFLOP", "MB moved");
  Share total;
  for (const Share& share : shares_of(graph)) {
    fmt::print("{:<14} {:>6} {:>12.3f} {:>12.3f}\n", share.op, share.nodes, share.flops * 1e-6, share.bytes * 1e-6);
    total.nodes += share.nodes;
    total.flops += share.flops;
    total.bytes += share.bytes;
  }
  fmt::print("{:<14} {:>6} {:>12.3f} {:>12.3f}\n", "all", total.nodes, total.flops * 1e-6, total.bytes * 1e-6);
  if (verbose) fmt::print("\n{}", ir::to_text(graph));
}

}  // namespace plumb::parity::cli::show

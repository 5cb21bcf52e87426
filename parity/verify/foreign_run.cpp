// Asks a candidate what it refuses, and asks it for no more than is looked at.
#include "parity/verify/foreign_run.hpp"

#include <algorithm>

#include "parity/core/terminal/table.hpp"

namespace plumb::parity::verify {

void require_supported(const ir::Executor& candidate, const ir::Graph& graph) {
  std::string reasons;
  std::size_t refused = 0;
  for (const ir::Node& node : graph.nodes())
    if (const std::string why = candidate.refusal(graph, node); !why.empty()) {
      reasons += ir::cat(refused == 0 ? "" : "\n", "'", node.label, "' (", node.op.name(), "): ", why);
      ++refused;
    }
  if (refused == 0) return;
  const std::size_t others = graph.nodes().size() - refused;
  if (others > 0) reasons += ir::cat("\n--mode isolate judges the other ", others);
  throw ir::Unsupported(
      ir::cat("candidate '", candidate.name(), "' refuses ", core::terminal::counted(refused, "node"), ":\n", reasons));
}

std::optional<std::set<ir::Value>> values_of_interest(const ir::Graph& graph,
                                                      const std::function<bool(std::size_t)>& is_chosen) {
  std::set<ir::Value> values;
  bool chooses_all = true;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const ir::Node& node = graph.nodes()[n];
    if (!is_chosen(n)) {
      chooses_all = false;
      continue;
    }
    values.insert(node.inputs.begin(), node.inputs.end());
    values.insert(node.outputs.begin(), node.outputs.end());
  }
  return chooses_all ? std::nullopt : std::optional(std::move(values));
}

}  // namespace plumb::parity::verify

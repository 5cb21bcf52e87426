// Runs one node after the other, each as a graph of its own, and lets go of what no later one reads.
#include "parity/cli/dumping/node_by_node.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "ir/passes/widen.hpp"
#include "ir/raw/mappings.hpp"
#include "parity/core/segment.hpp"

namespace plumb::parity::cli {
namespace {

/// By node, whether one of the wanted values hangs on it.
std::vector<bool> nodes_for(const ir::Graph& graph, std::set<ir::Value> wanted) {
  std::vector<bool> is_needed(graph.nodes().size());
  for (std::size_t n = is_needed.size(); n-- > 0;) {
    const ir::Node& node = graph.nodes()[n];
    is_needed[n] = std::ranges::any_of(node.outputs, [&](ir::Value v) { return wanted.contains(v); });
    if (is_needed[n]) wanted.insert(node.inputs.begin(), node.inputs.end());
  }
  return is_needed;
}

}  // namespace

void evaluate_node_by_node(ir::Executor& executor, const cases::Case& subject, Evaluated how,
                           const std::set<ir::Value>& wanted, verify::MemoryBudget& budget,
                           const std::function<void(ir::Value, ir::Tensor)>& take) {
  const ir::Graph& graph = subject.file->graph;
  const std::vector<bool> is_needed = nodes_for(graph, wanted);
  std::map<ir::Value, std::size_t> last_use;
  for (std::size_t n = 0; n < is_needed.size(); ++n)
    if (is_needed[n])
      for (const ir::Value v : graph.nodes()[n].inputs) last_use[v] = n;
  ir::Tensors values;
  const core::Lookup fed = [&](ir::Value v) {
    if (!graph.is_source(v)) return values.at(v);
    const ir::Tensor& source = ir::fed(graph, subject.feeds, v);
    return how == Evaluated::widened ? ir::passes::widen(source) : source;
  };
  for (std::size_t n = 0; n < is_needed.size(); ++n) {
    if (!is_needed[n]) continue;
    const ir::Node& node = graph.nodes()[n];
    const core::Segment segment = core::segment_of(graph, n);
    core::Evaluated made = how == Evaluated::widened ? core::evaluate_widened(executor, segment, fed)
                                                     : core::evaluate(executor, segment, fed);
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      const ir::Value v = node.outputs[k];
      const ir::Tensor held = budget.hold(std::move(made.outputs[k]));
      if (wanted.contains(v)) take(v, held);
      if (last_use.contains(v)) values.emplace(v, held);
    }
    for (const ir::Value v : node.inputs) {
      const ir::Tensor& read = graph.is_source(v) ? ir::fed(graph, subject.feeds, v) : values.at(v);
      ir::raw::release_after_use(read.bytes());
    }
    std::erase_if(values, [&](const auto& entry) { return last_use.at(entry.first) <= n; });
  }
}

}  // namespace plumb::parity::cli

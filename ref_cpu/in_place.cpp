// Finds the nodes whose result can lie where their first operand does.
#include "ref_cpu/in_place.hpp"

#include <algorithm>
#include <numeric>

#include "ir/ops/dynamic_update_slice.hpp"
#include "ir/ops/scatter_elements.hpp"
#include "ir/ops/scatter_nd.hpp"
#include "ir/ops/tensor_scatter.hpp"

namespace plumb::ref_cpu {
namespace {

/// The ops whose kernels begin with kernels::begin_as.
bool changes_a_part(const ir::Op& op) {
  return op.is<ir::ops::TensorScatter>() || op.is<ir::ops::DynamicUpdateSlice>() || op.is<ir::ops::ScatterNd>() ||
         op.is<ir::ops::ScatterElements>();
}

}  // namespace

std::vector<ir::Value> homes(const ir::Graph& graph, std::span<const std::size_t> steps,
                             const std::function<bool(ir::Value)>& is_lasting) {
  std::vector<std::size_t> last_reads(graph.value_count());  // by value, the step
  for (std::size_t s = 0; s < steps.size(); ++s)
    for (const ir::Value v : graph.nodes()[steps[s]].inputs) last_reads[v] = s;
  std::vector<ir::Value> homes(graph.value_count());
  std::iota(homes.begin(), homes.end(), ir::Value{0});
  for (std::size_t s = steps.size(); s-- > 0;) {  // from the end, where the home of every result is known
    const ir::Node& node = graph.nodes()[steps[s]];
    if (!changes_a_part(node.op)) continue;
    const ir::Value operand = node.inputs[0];
    const bool is_only_operand = std::ranges::count(node.inputs, operand) == 1;
    if (is_only_operand && last_reads[operand] == s && !is_lasting(operand)) homes[operand] = homes[node.outputs[0]];
  }
  return homes;
}

}  // namespace plumb::ref_cpu

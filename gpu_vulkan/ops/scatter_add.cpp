#include "ir/ops/scatter_add.hpp"

#include "gpu_vulkan/scatter.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::ScatterAdd& op, Lowering& node) {
  const ir::Lines lines = ir::along(node.out_type(0).shape, op.axis);
  const ir::TensorType& indices = node.in_type(1);
  const std::int64_t count = indices.shape.elements();
  const ScatteredUpdates updates{node.in(0), count, lines.length, lines.outer, lines.inner};
  ScatterTargets targets{};
  if (count > 0)  // single indices are tuples of length 1
    targets = tuple_targets({lines.length}, {indices.dtype, {count, 1}}, count, node);
  scatter_reduced(ir::ScatterReduction::add, std::nullopt, updates, targets, node.in(1), node);
}

}  // namespace plumb::gpu_vulkan

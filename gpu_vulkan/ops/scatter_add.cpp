// Lowers scatter-add into zeros along an axis to the scatter kernels, indices as tuples of length one.
#include "ir/ops/scatter_add.hpp"

#include "gpu_vulkan/kernels/indexing/scatter.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::ScatterAdd& op, plan::Lowering& node) {
  const ir::Lines lines = ir::along(node.out_type(0).shape, op.axis);
  const ir::TensorType& indices = node.in_type(1);
  const std::int64_t count = indices.shape.elements();
  const kernels::indexing::ScatteredUpdates updates{node.in(0), count, lines.length, lines.outer, lines.inner};
  kernels::indexing::ScatterTargets targets{};
  if (count > 0)  // single indices are tuples of length 1
    targets = kernels::indexing::tuple_targets({lines.length}, {indices.dtype, {count, 1}}, count, node);
  kernels::indexing::scatter_reduced(ir::kernels::ScatterReduction::add, kernels::indexing::ScatterOnto::zeros, updates,
                                     targets, node.in(1), node);
}

}  // namespace plumb::gpu_vulkan

// Lowers scatter-elements: the last update of an element wins, or all of them are combined in order.
#include "ir/ops/scatter_elements.hpp"

#include "gpu_vulkan/kernels/indexing/scatter.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::ScatterElements& op, plan::Lowering& node) {
  const auto &x = node.in_type(0), &indices = node.in_type(1);
  const kernels::indexing::ScatteredUpdates updates{node.in(2), indices.shape.elements(), x.shape.elements()};
  if (updates.count == 0) return node.alias(0, 0);
  const auto targets = kernels::indexing::element_targets(x, indices, op.axis, node);
  if (op.reduction == ir::kernels::ScatterReduction::none)
    kernels::indexing::scatter_last(updates, targets, node.in(1), node);
  else
    kernels::indexing::scatter_reduced(op.reduction, kernels::indexing::ScatterOnto::operand, updates, targets,
                                       node.in(1), node);
}

}  // namespace plumb::gpu_vulkan

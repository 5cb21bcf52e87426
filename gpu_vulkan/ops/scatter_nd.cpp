// Lowers scatter-nd: index tuples name slices of x, whose updates replace them or are combined in order.
#include "ir/ops/scatter_nd.hpp"

#include "gpu_vulkan/kernels/indexing/scatter.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::ScatterNd& op, plan::Lowering& node) {
  const auto &x = node.in_type(0), &indices = node.in_type(1);
  const std::int64_t m = indices.shape.back(), tuples = indices.shape.elements() / m;
  if (tuples == 0) return node.alias(0, 0);
  const std::int64_t rows = x.shape.leading(static_cast<std::size_t>(m)).elements();
  const kernels::indexing::ScatteredUpdates updates{node.in(2), tuples, rows, 1, x.shape.elements() / rows};
  const auto targets = kernels::indexing::tuple_targets(x.shape, indices, tuples, node);
  if (op.reduction == ir::kernels::ScatterReduction::none)
    kernels::indexing::scatter_last(updates, targets, node.in(1), node);
  else
    kernels::indexing::scatter_reduced(op.reduction, kernels::indexing::ScatterOnto::operand, updates, targets,
                                       node.in(1), node);
}

}  // namespace plumb::gpu_vulkan

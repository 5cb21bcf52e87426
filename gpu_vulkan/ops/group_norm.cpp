// Lowers group norm to the common normalisation, with x seen as batch, groups, channels of a group and positions.
#include "ir/ops/group_norm.hpp"

#include "gpu_vulkan/kernels/norms/normalize.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::GroupNorm& op, plan::Lowering& node) {
  const ir::Shape& x = node.in_type(0).shape;
  const std::int64_t each = x[1] / op.num_groups, positions = x.elements() / (x[0] * x[1]);
  const std::vector<std::int64_t> per_channel = {0, each, 1, 0};
  kernels::norms::lower_normalize({.name = op.name,
                                   .shape = {x[0], op.num_groups, each, positions},
                                   .first = 2,
                                   .epsilon = op.epsilon,
                                   .has_scale = op.has_scale,
                                   .has_bias = op.has_bias,
                                   .scale_strides = per_channel,
                                   .bias_strides = per_channel},
                                  node);
}

}  // namespace plumb::gpu_vulkan

// Lowers instance norm to the common normalisation, as group norm of one channel a group.
#include "ir/ops/instance_norm.hpp"

#include "gpu_vulkan/kernels/norms/normalize.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::InstanceNorm& op, plan::Lowering& node) {
  const ir::Shape& x = node.in_type(0).shape;
  const std::vector<std::int64_t> per_channel = {0, 1, 0};
  kernels::norms::lower_normalize({.name = "group_norm",
                                   .shape = {x[0], x[1], x.elements() / (x[0] * x[1])},
                                   .first = 2,
                                   .epsilon = op.epsilon,
                                   .has_scale = true,
                                   .has_bias = true,
                                   .scale_strides = per_channel,
                                   .bias_strides = per_channel},
                                  node);
}

}  // namespace plumb::gpu_vulkan

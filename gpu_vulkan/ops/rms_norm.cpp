// Lowers RMS norm to the common normalisation, without taking off the mean.
#include "ir/ops/rms_norm.hpp"

#include "gpu_vulkan/kernels/norms/normalize.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::RmsNorm& op, plan::Lowering& node) {
  const ir::Shape& x = node.in_type(0).shape;
  const std::vector<std::int64_t> none(x.size(), 0);
  kernels::norms::lower_normalize(
      {.name = op.name,
       .shape = x,
       .first = x.axis(op.axis),
       .epsilon = op.epsilon,
       .is_centered = false,
       .has_scale = op.has_scale,
       .has_bias = op.has_bias,
       .scale_strides = op.has_scale ? ir::broadcast_strides(node.in_type(1).shape, x) : none,
       .bias_strides = op.has_bias ? ir::broadcast_strides(node.in_type(node.inputs() - 1).shape, x) : none},
      node);
}

}  // namespace plumb::gpu_vulkan

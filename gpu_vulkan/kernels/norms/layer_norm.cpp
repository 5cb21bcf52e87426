// Layer norm, with or without a residual operand, as a call of the common normalisation.
#include "gpu_vulkan/kernels/norms/layer_norm.hpp"

#include "gpu_vulkan/kernels/norms/normalize.hpp"

namespace plumb::gpu_vulkan::kernels::norms {

void lower_layer_norm(const ir::ops::LayerNorm& op, bool has_residual, plan::Lowering& node) {
  const std::size_t last = node.inputs() - (has_residual ? 2 : 1);
  const ir::Shape& x = node.in_type(0).shape;
  const std::vector<std::int64_t> none(x.size(), 0);
  lower_normalize({.name = "layer_norm",
                   .shape = x,
                   .first = x.axis(op.axis),
                   .epsilon = op.epsilon,
                   .has_scale = op.has_scale,
                   .has_bias = op.has_bias,
                   .scale_strides = op.has_scale ? ir::broadcast_strides(node.in_type(1).shape, x) : none,
                   .bias_strides = op.has_bias ? ir::broadcast_strides(node.in_type(last).shape, x) : none,
                   .has_statistics = true,
                   .has_residual = has_residual},
                  node);
}

}  // namespace plumb::gpu_vulkan::kernels::norms

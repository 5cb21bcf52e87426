// Lowers norms that a condition modulates to the common normalisation, with factors of 1 + scale.
#include "ir/ops/ada_norm.hpp"

#include "gpu_vulkan/kernels/norms/normalize.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::AdaNorm& op, plan::Lowering& node) {
  const ir::Shape& x = node.in_type(0).shape;
  const bool is_centered = op.kind == ir::ops::AdaNormKind::layer;
  kernels::norms::lower_normalize({.name = is_centered ? "ada_norm" : "ada_rms_norm",
                                   .shape = x,
                                   .first = x.axis(-1),
                                   .epsilon = op.epsilon,
                                   .is_centered = is_centered,
                                   .has_scale = true,
                                   .has_bias = true,
                                   .scale_strides = ir::broadcast_strides(node.in_type(1).shape, x),
                                   .bias_strides = ir::broadcast_strides(node.in_type(2).shape, x)},
                                  node);
}

}  // namespace plumb::gpu_vulkan

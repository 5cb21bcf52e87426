// Lowers transforms of real lines to the kernels that all transforms share.
#include "ir/ops/rfft.hpp"

#include "gpu_vulkan/kernels/fourier/fourier.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Rfft& op, plan::Lowering& node) {
  using kernels::fourier::Kind;
  const ir::TensorType& x = node.in_type(0);
  const ir::Types in(&x, 1);
  kernels::fourier::lower_transform({.kind = Kind::real_forward,
                                     .length = op.points(in),
                                     .scale = op.scale(in),
                                     .in = ir::along(x.shape, op.axis),
                                     .out = ir::along(node.out_type(0).shape, op.axis)},
                                    node);
}

}  // namespace plumb::gpu_vulkan

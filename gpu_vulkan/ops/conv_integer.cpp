// Lowers convolutions of codes to tiles of i32.
#include "ir/ops/conv_integer.hpp"

#include "gpu_vulkan/kernels/conv/integer_convolution.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::ConvInteger& op, plan::Lowering& node) {
  kernels::common::CodeOperands of{.left = 1, .right = 0};
  if (op.has_x_zero) of.right_zero = 2;
  if (op.has_w_zero) of.left_zero = op.w_zero();
  const auto axes = op.axes(node.in_type(0).shape, node.in_type(1).shape);
  kernels::conv::integer_convolution(of, axes, op.group, {.module = "conv_integer"}, node);
}

}  // namespace plumb::gpu_vulkan

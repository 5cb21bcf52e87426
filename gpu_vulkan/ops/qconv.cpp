// Lowers convolutions of codes to tiles of i32, of which the sums leave as codes.
#include "ir/ops/qconv.hpp"

#include "gpu_vulkan/kernels/conv/integer_convolution.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Qconv& op, plan::Lowering& node) {
  node.needs_its_types();
  const kernels::common::CodeOperands of{.left = 3, .right = 0, .left_zero = 5, .right_zero = 2};
  kernels::common::RequantizedOperands scales{.left_scale = 4, .right_scale = 1, .y_scale = 6, .y_zero = 7, .bias = {}};
  if (op.has_bias) scales.bias = 8;
  const auto axes = op.axes(node.in_type(0).shape, node.in_type(3).shape);
  kernels::conv::integer_convolution(of, axes, op.group, kernels::common::requantize("qconv", scales, node), node);
}

}  // namespace plumb::gpu_vulkan

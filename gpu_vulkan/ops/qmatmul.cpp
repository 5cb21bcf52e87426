// Lowers products of codes to tiles of i32, of which the sums leave as codes.
#include "ir/ops/qmatmul.hpp"

#include "gpu_vulkan/kernels/gemm/integer_product.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Qmatmul& op, plan::Lowering& node) {
  node.needs_its_types();
  const kernels::common::CodeOperands of{.left = 0, .right = 3, .left_zero = 2, .right_zero = 5};
  kernels::common::RequantizedOperands scales{.left_scale = 1, .right_scale = 4, .y_scale = 6, .y_zero = 7, .bias = {}};
  if (op.has_bias) scales.bias = 8;
  kernels::gemm::integer_product(of, kernels::common::requantize("qmatmul", scales, node), node);
}

}  // namespace plumb::gpu_vulkan

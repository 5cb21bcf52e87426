// Lowers products of codes to tiles of i32.
#include "ir/ops/matmul_integer.hpp"

#include "gpu_vulkan/kernels/gemm/integer_product.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::MatmulInteger& op, plan::Lowering& node) {
  kernels::common::CodeOperands of;
  if (op.has_a_zero) of.left_zero = 2;
  if (op.has_b_zero) of.right_zero = op.b_zero();
  kernels::gemm::integer_product(of, {.module = "matmul_integer"}, node);
}

}  // namespace plumb::gpu_vulkan

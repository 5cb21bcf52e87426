// Lowers products with the packed weights of experts to the sorting of rows and the kernel that decodes weights tile by
// tile.
#include "ir/ops/dequant_grouped_matmul.hpp"

#include "gpu_vulkan/kernels/gemm/packed_product.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::DequantGroupedMatmul& op, plan::Lowering& node) {
  kernels::gemm::lower_packed({.packing = op.packing(),
                               .weight_dtype = op.weight_dtype,
                               .has_bias = op.has_bias,
                               .x_scales = op.has_x_scales ? std::optional(op.x_scales()) : std::nullopt,
                               .expert = 1 + op.packed_operands()},
                              node);
}

}  // namespace plumb::gpu_vulkan

// Lowers products with packed weights to the kernel that decodes them tile by tile.
#include "ir/ops/dequant_matmul.hpp"

#include "gpu_vulkan/kernels/gemm/packed_product.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::DequantMatmul& op, plan::Lowering& node) {
  kernels::gemm::lower_packed({.packing = op.packing(),
                               .weight_dtype = op.weight_dtype,
                               .has_bias = op.has_bias,
                               .x_scales = op.has_x_scales ? std::optional(op.x_scales()) : std::nullopt},
                              node);
}

}  // namespace plumb::gpu_vulkan

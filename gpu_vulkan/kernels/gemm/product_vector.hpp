#pragma once

#include "gpu_vulkan/kernels/gemm/product.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

/// Whether the product was a row, a column, or a few rows of a large matrix, and got its kernel.
bool lower_vector_product(const Product& product, const ProductSlots& slots, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm

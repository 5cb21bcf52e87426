#pragma once

#include "gpu_vulkan/kernels/gemm/product.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

/// The kernels of a product that is a row, a column, or a few rows of a large matrix; none of other products.
std::vector<plan::Candidate> vector_candidates(const Product& product, const ProductSlots& slots, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm

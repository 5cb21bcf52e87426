#pragma once

#include "gpu_vulkan/kernels/gemm/gemm.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

/// The kernels of a product that is a row, a column, or a few rows of a large matrix; none of other products.
std::vector<plan::Candidate> gemv_candidates(const Gemm& product, const GemmSlots& slots, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm

#pragma once

#include "gpu_vulkan/kernels/gemm/packed_product.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

/// Extents of a packed product, and what goes between its dtypes.
struct PackedExtents {
  std::int64_t m, n, k, experts;  ///< without experts 1
  ir::DType dtype;                ///< in which sums are made
  ir::DType scales;               ///< the dtype of real scales
};

/// A few rows of x, or few for each expert: reading W takes longest, and a lane decodes it in registers.
plan::Attempt attempt_packed_vector(const PackedProduct& product, const PackedExtents& extents, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm

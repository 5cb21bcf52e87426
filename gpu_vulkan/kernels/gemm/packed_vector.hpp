#pragma once

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/gemm/grouped_rows.hpp"
#include "gpu_vulkan/kernels/gemm/packed_product.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

/// Extents of a packed product, and what goes between its dtypes.
struct PackedExtents {
  std::int64_t m, n, k, experts;  ///< without experts 1
  ir::DType dtype;                ///< in which sums are made
  ir::DType scales;               ///< the dtype of real scales
};

/// Rows of x in tiles of this height, sorted by their experts where they have some.
GroupedRows tiled_rows(const PackedProduct& product, const PackedExtents& extents, std::int64_t height,
                       plan::Lowering& node);

/// Elements of a row of K weights that share a scale, as shaders divide by them.
common::Divisor by_scale_block(const PackedProduct& product, std::int64_t k);

/// A few rows of x, or few for each expert: reading W takes longest, and a lane decodes it in registers.
plan::Attempt attempt_packed_vector(const PackedProduct& product, const PackedExtents& extents, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm

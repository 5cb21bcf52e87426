#pragma once

#include <array>

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/common/tiles.hpp"
#include "gpu_vulkan/kernels/gemm/gemm.hpp"

// Declarations of all gemm kernels. Each kernel says why it does not take a product, or dispatches it.
namespace plumb::gpu_vulkan::kernels::gemm {

/// The push constants of gemm.glsl.
struct GemmBlock {
  std::uint32_t m, n, k, batches, flags;
  std::array<std::uint32_t, most_batch_axes> batch, a_strides, b_strides;
  std::array<std::uint32_t, 2> c_strides, alpha, beta;  // reals: bits, low word first
  std::uint32_t lda, ldb;
};

GemmBlock block_of(const Gemm& product, ir::DType dtype);

/// gemm.glsl names the bits.
std::uint32_t transposed(const Gemm& product);

/// Tiles of so many rows and columns that cover every product of the batch.
std::int64_t tiles(const Gemm& product, std::int64_t rows, std::int64_t columns);

/// The shader's variant: the operands' dtype, and the result's where they differ.
std::string variant(const GemmSlots& slots);

void dispatch(const Gemm& product, const GemmSlots& slots, plan::Lowering& node, plan::Shader shader,
              std::int64_t groups);

/// The sum with alpha and c behind it, as the product has them.
ir::Sum with_epilogue(const Gemm& product, ir::Sum sum);

/// Whether operands can be loaded 16 bytes at a time: rows and matrices begin and end at multiples of so many elements.
bool allows_vec4_loads(const Gemm& product, std::int64_t elements);

/// Specialization constants of large products, which are worth a pipeline of their own; all 0 for the small ones of a
/// graph, which share theirs.
struct Fixed {
  std::uint32_t k = 0, lda = 0, ldb = 0, flags = 0;
  bool k_aligned = false;  ///< K is a multiple of the tile's depth
};

Fixed fixed_of(const Gemm& product, std::uint32_t depth);

device::ProductSize size_of(const Gemm& product);

/// Split-K: slices of K side by side, their products as a batch, and the sum of these in order.
Gemm split_k(const Gemm& product, std::int64_t slices);
void add_split_k(const Gemm& product, const GemmSlots& slots, plan::Slot sums, std::int64_t slices,
                 plan::Lowering& node);

/// f32, loaded 16 bytes at a time.
plan::Attempt attempt_vec4(const Gemm& product, const GemmSlots& slots, plan::Lowering& node);

/// f32 likewise, by split-K: workgroups share K. Its name tells the number of slices.
plan::Attempt attempt_split_k(const Gemm& product, const GemmSlots& slots, plan::Lowering& node);

/// f16 and bf16 by cooperative matrices with f32 accumulators. Products of few tiles and a large K are computed by
/// split-K, and their name tells the number of slices.
plan::Attempt attempt_cooperative(const Gemm& product, const GemmSlots& slots, plan::Lowering& node);
/// The name of the cooperative-matrix kernels of these operands, for people.
std::string_view cooperative_name(ir::DType operands);

/// f16 by cooperative matrices with f16 accumulators, where that is allowed.
plan::Attempt attempt_summed_in_f16(const Gemm& product, const GemmSlots& slots, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm

// A batched matrix product as its kernels take it, with strides, alpha and beta; the entry to the choice of a kernel.
#pragma once

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

inline constexpr std::size_t most_batch_axes = 6;

/// A batch of matrix products, y = alpha a b + beta c, as the shaders matmul and
/// matmul_cooperative compute it. Strides are in elements, 0 on stretched axes.
struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  std::int64_t lda = 0, ldb = 0;                   ///< leading dimensions, in elements; 0: the matrices are dense
  ir::Shape batch;                                 ///< at most most_batch_axes
  std::vector<std::int64_t> a_strides, b_strides;  ///< strides of the batch axes
  double alpha = 1, beta = 1;
  bool sums_in_f16 = false;  ///< may have f16 accumulators
  bool has_c = false;        ///< operand 2, added without batch axes
  std::array<std::int64_t, 2> c_strides{};
};

/// The slots that a product reads and writes.
struct GemmSlots {
  plan::Slot a, b, c, y;  ///< c: any when there is none
  ir::DType operands, result;
};

/// Chooses a kernel for the product.
void lower_gemm(const Gemm& product, const GemmSlots& slots, plan::Lowering& node);

/// Multiplies operands 0 and 1 of the node.
void lower_gemm(const Gemm& product, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm

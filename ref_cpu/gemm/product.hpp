#pragma once

#include "ref_cpu/kernels/elements.hpp"

namespace plumb::ref_cpu::gemm {

/// One side of a matrix product: [batch.., rows, columns], or [batch.., columns, rows] when transposed.
struct Factor {
  kernels::Elements x;
  bool transposed = false;
};

/// How many products two shapes mean, of m x k by k x n, and in which elements the matrices of each begin.
struct ProductPlan {
  ProductPlan(const ir::Shape& a, bool transposes_a, const ir::Shape& b, const ir::Shape& y);

  std::int64_t batch, m, n, k;
  std::vector<std::int64_t> a_offsets, b_offsets;
};

/// y = a b over batch axes that broadcast to those of y, as the op matmul: y is of the operands'
/// dtype, or f32 for 16-bit floats. y is overwritten.
void matrix_product(const ProductPlan& plan, const Factor& a, const Factor& b, const kernels::MutableElements& y);

/// As the former, of i32, which wraps; neither side is transposed.
void matrix_product(const ProductPlan& plan, std::span<const std::int32_t> a, std::span<const std::int32_t> b,
                    std::span<std::int32_t> y);

}  // namespace plumb::ref_cpu::gemm

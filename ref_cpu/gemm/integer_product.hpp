// Products of matrices of codes.
#pragma once

#include "ref_cpu/gemm/product.hpp"

namespace plumb::ref_cpu::gemm {

/// Matrices of codes and their zero points, null for 0.
struct CodeMatrices {
  const ir::TensorView& codes;
  const ir::TensorView* zero = nullptr;
};

/// The plan of a product of codes, y of [batch.., M, N]: a has zero points by rows, b by columns.
struct CodeProductPlan {
  CodeProductPlan(const CodeMatrices& a, const CodeMatrices& b, const ir::Shape& y);

  ir::Shape a_zero, b_zero;  ///< as which zero points broadcast to their matrices and to y
  ProductPlan product;
};

/// y = Σ (a − a_zero)(b − b_zero) over batch axes that broadcast, modulo 2^32. y is overwritten.
void integer_product(const CodeProductPlan& plan, const CodeMatrices& a, const CodeMatrices& b,
                     std::span<std::int32_t> y);

}  // namespace plumb::ref_cpu::gemm

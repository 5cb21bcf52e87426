// Products of matrices of codes.
#pragma once

#include "ir/kernels/codes.hpp"
#include "ir/tensor.hpp"

namespace plumb::ref_cpu::gemm {

/// Matrices of codes and their zero points, null for 0.
struct CodeMatrices {
  ir::TensorView codes;
  const ir::TensorView* zero = nullptr;
};

/// y = Σ (a − a_zero)(b − b_zero) over batch axes that broadcast, modulo 2^32: i32 [batch.., M, N]. a has zero points
/// by rows, b by columns. y is overwritten.
void integer_product(const CodeMatrices& a, const CodeMatrices& b, const ir::MutableView& y);

}  // namespace plumb::ref_cpu::gemm

#pragma once

#include "ir/tensor.hpp"

namespace plumb::ref_cpu::gemm {

/// One side of a matrix product: [batch.., rows, columns], or [batch.., columns, rows] when transposed.
struct Factor {
  ir::TensorView x;
  bool transposed = false;
};

/// y = a b over batch axes that broadcast to those of y, as the op matmul: y is of the operands'
/// dtype, or f32 for 16-bit floats. y is overwritten.
void matrix_product(const Factor& a, const Factor& b, const ir::MutableView& y);

}  // namespace plumb::ref_cpu::gemm

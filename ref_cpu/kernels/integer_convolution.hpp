// Sums of products of a convolution of codes.
#pragma once

#include "ir/kernels/window.hpp"
#include "ir/tensor.hpp"

namespace plumb::ref_cpu::kernels {

/// An image and filters of codes, with their zero points; null for 0.
struct CodeConvolution {
  std::vector<ir::kernels::Window> axes;
  std::int64_t group;
  ir::TensorView x, w;                    ///< [N, C, D..] and [M, C/g, k..]
  const ir::TensorView *x_zero, *w_zero;  ///< one element; one, or one for each filter
};

/// y = Σ (w − w_zero)(x − x_zero) over the taps inside of x, modulo 2^32: i32 [N, M, O..]. y is overwritten.
void integer_convolution(const CodeConvolution& convolution, const ir::MutableView& y);

}  // namespace plumb::ref_cpu::kernels

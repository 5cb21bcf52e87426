// Sums of products of a convolution of codes.
#pragma once

#include "ir/tensor.hpp"
#include "ref_cpu/kernels/spatial.hpp"

namespace plumb::ref_cpu::kernels {

/// An image and filters of codes, with their zero points; null for 0.
struct CodeConvolution {
  const ir::TensorView &x, &w;            ///< [N, C, D..] and [M, C/g, k..]
  const ir::TensorView *x_zero, *w_zero;  ///< one element; one, or one for each filter
};

/// The plan of a convolution of codes, y of [N, M, O..].
struct CodeConvolutionPlan {
  CodeConvolutionPlan(const std::vector<ir::kernels::Window>& axes, std::int64_t group, const CodeConvolution& of,
                      const ir::Shape& y);

  Windows windows;
  std::int64_t group;
  ir::Shape w_zero;  ///< as which the zero points of filters broadcast to these
};

/// The shape as which one element for each filter, or one for all, broadcasts to a tensor with `axes_behind` axes
/// behind that of filters.
inline ir::Shape shape_over_filters(const ir::TensorView& of_filters, std::size_t axes_behind) {
  ir::Shape shape(axes_behind + 1, 1);
  shape[0] = of_filters.elements();
  return shape;
}

/// y = Σ (w − w_zero)(x − x_zero) over the taps inside of x, modulo 2^32. y is overwritten.
void integer_convolution(const CodeConvolutionPlan& plan, const CodeConvolution& of, std::span<std::int32_t> y);

}  // namespace plumb::ref_cpu::kernels

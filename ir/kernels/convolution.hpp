// The checks, the shape and the work of convolutions.
#pragma once

#include <array>

#include "ir/kernels/window.hpp"
#include "ir/op.hpp"

namespace plumb::ir::kernels {

/// The checks C1 to C4 of a convolution without bias.
inline constexpr std::array<std::string_view, 4> convolution_rules = {
    "x must have rank 3 to 5, w the same rank", "group must divide C and M, and w[1] must be C / group",
    "strides, dilations and kernel extents must be at least 1, pads at least 0, all below 2^31",
    "the dilated kernel must fit into the padded image on every axis"};

/// The shape of a convolution, [N, M, O..]. States C1 to C4 of the op, whose texts are convolution_rules.
template <class T>
Shape shape_of_convolution(const T& op, const TensorType& image, const TensorType& filters) {
  const auto &x = image.shape, &w = filters.shape;
  check(op, 1, x.rank() >= 3 && x.rank() <= 5 && w.rank() == x.rank(), "x is ", image, ", w is ", filters);
  const std::int64_t group = op.group;
  check(op, 2, group >= 1 && x[1] % group == 0 && w[0] % group == 0 && w[1] == x[1] / group, "group is ", group,
        ", x is ", image, ", w is ", filters);
  Shape y = {x[0], w[0]};
  std::size_t axis = 0;
  for (const Window& window : op.axes(x, w)) {
    check(op, 3, window.valid(), "on spatial axis ", axis, " kernel ", window.kernel, ", stride ", window.stride,
          ", dilation ", window.dilation, ", pads ", window.pad_begin, " and ", window.pad_end);
    check(op, 4, window.fits(), "on spatial axis ", axis, " the kernel spans ", window.span(), ", the image ",
          window.padded());
    y.push_back(window.positions());
    ++axis;
  }
  return y;
}

/// The work of a convolution by filters of shape w that gives y.
inline Cost cost_of_convolution(const Shape& w, const Shape& y) {
  const std::int64_t taps = w[0] == 0 ? 0 : w.elements() / w[0];
  return {2.0 * static_cast<double>(taps) * static_cast<double>(y.elements()), taps};
}

}  // namespace plumb::ir::kernels

// Sums of products of codes as codes of a scale of their own.
#pragma once

#include <optional>

#include "ir/tensor.hpp"

namespace plumb::ref_cpu::kernels {

/// The operands of a requantisation. Left and right scales and the bias have shapes that broadcast to the result.
struct Requantization {
  ir::TensorView left_scale, right_scale;
  ir::TensorView y_scale, y_zero;  ///< they have one element
  std::optional<ir::TensorView> bias = {};
};

/// y = saturate(RNE((sum + bias)·(left·right/y_scale)) + y_zero), the sum modulo 2^32, all else in what the scales'
/// dtype is computed in; NaN gives y_zero. `sums` are i32 of y's shape, y is u8 or i8.
void requantize(const ir::TensorView& sums, const Requantization& by, const ir::MutableView& y);

/// The tensor's bytes under another shape of as many elements.
inline ir::TensorView read_as(const ir::TensorView& x, ir::Shape shape) {
  return {{x.dtype(), std::move(shape)}, x.bytes()};
}

}  // namespace plumb::ref_cpu::kernels

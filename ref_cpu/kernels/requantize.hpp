// Sums of products of codes as codes of a scale of their own.
#pragma once

#include <optional>

#include "ir/tensor.hpp"

namespace plumb::ref_cpu::kernels {

/// A tensor that, read as another shape of as many elements, broadcasts to a result.
struct Stretched {
  const ir::TensorView& tensor;
  const ir::Shape& shape;
};

/// The operands of a requantisation.
struct Requantization {
  Stretched left_scale, right_scale;
  const ir::TensorView &y_scale, &y_zero;  ///< they have one element
  std::optional<Stretched> bias = {};
};

/// y = saturate(RNE((sum + bias)·(left·right/y_scale)) + y_zero), the sum modulo 2^32, all else in what the scales'
/// dtype is computed in; NaN gives y_zero. There is a sum for each element of y, which is u8 or i8.
void requantize(std::span<const std::int32_t> sums, const Requantization& by, const ir::MutableView& y);

}  // namespace plumb::ref_cpu::kernels

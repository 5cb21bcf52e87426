// Where boxes of a fixed size start that operands place.
#pragma once

#include <algorithm>

#include "ir/tensor.hpp"
#include "ref_cpu/kernels/strides.hpp"

namespace plumb::ref_cpu::kernels {

/// Where in a tensor of this type a box of shape `box` begins, in bytes: its starts clamped so that it lies inside
/// (ops.md 4, dynamic_slice).
inline std::size_t clamped_start(const ir::TensorView& starts, const ir::TensorType& type, const ir::Shape& box) {
  const ir::Shape& x = type.shape;
  const Strides strides = strides_within(x, x);  // an axis of one element has but one start
  std::int64_t offset = 0;
  ir::visit_index(starts.dtype(), [&]<class T>(T) {
    const auto given = starts.as<T>();
    for (std::size_t k = 0; k < x.size(); ++k)
      offset += std::clamp<std::int64_t>(given[k], 0, x[k] - box[k]) * strides[k];
  });
  return static_cast<std::size_t>(offset) * ir::info(type.dtype).bytes;
}

}  // namespace plumb::ref_cpu::kernels

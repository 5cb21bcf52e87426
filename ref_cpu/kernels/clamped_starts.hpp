// Where boxes of a fixed size start that operands place.
#pragma once

#include <algorithm>
#include <vector>

#include "ir/tensor.hpp"

namespace plumb::ref_cpu::kernels {

/// Where in a tensor of shape `x` a box of shape `box` begins, in elements: its starts clamped so that it lies inside
/// (ops.md 4, dynamic_slice).
inline std::int64_t clamped_start(const ir::TensorView& starts, const ir::Shape& x, const ir::Shape& box) {
  const auto strides = x.strides();
  std::int64_t offset = 0;
  ir::visit_index(starts.dtype(), [&]<class T>(T) {
    const auto given = starts.as<T>();
    for (std::size_t k = 0; k < x.size(); ++k)
      offset += std::clamp<std::int64_t>(given[k], 0, x[k] - box[k]) * strides[k];
  });
  return offset;
}

}  // namespace plumb::ref_cpu::kernels

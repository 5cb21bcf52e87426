#pragma once

#include <array>

#include "ir/shape.hpp"

namespace plumb::ref_cpu::kernels {

/// By axis; those behind the last are 0.
using Strides = std::array<std::int64_t, ir::max_rank>;

/// As ir::broadcast_strides, without memory of its own: the strides with which a tensor of shape x is read as `target`.
inline Strides strides_within(const ir::Shape& x, const ir::Shape& target) {
  ir::require(x.size() <= target.size() && target.rank() <= ir::max_rank, x, " is read as ", target);
  Strides strides{};
  std::int64_t covered = 1;
  for (std::size_t i = x.size(), axis = target.size(); i-- > 0;) {
    strides[--axis] = x[i] == 1 ? 0 : covered;
    covered *= x[i];
  }
  return strides;
}

}  // namespace plumb::ref_cpu::kernels

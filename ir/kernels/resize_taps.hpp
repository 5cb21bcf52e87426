#pragma once

#include "ir/ops/resize.hpp"

namespace plumb::ir::kernels {

/// The taps of the outputs along one axis of a resize: output i is the sum of weight[t]·x[index[t]]
/// over t in [first[i], first[i + 1]). An output without taps lies outside x.
struct ResizeTaps {
  std::vector<std::int64_t> first, index;
  std::vector<double> weight;

  std::int64_t outputs() const { return static_cast<std::int64_t>(first.size()) - 1; }
  bool is_outside(std::int64_t i) const {
    return first[static_cast<std::size_t>(i)] == first[static_cast<std::size_t>(i) + 1];
  }
  bool has_outside() const;
  /// Whether the outputs are the `extent` elements of x, in their order.
  bool is_identity(std::int64_t extent) const;
};

/// The taps along op.axes[k] of an x with this dtype and extent there (ops.md 9, resize), in f64
/// from the attributes, which are first rounded to f32 where x is not wider (ops.md 1.3). Both executors
/// take them from here.
ResizeTaps resize_taps(const ops::Resize& op, std::size_t k, DType dtype, std::int64_t extent);

}  // namespace plumb::ir::kernels

#pragma once

#include "ir/shape.hpp"

namespace plumb::ir::kernels {

/// Indices [begin, end); none where they are equal.
struct IndexRange {
  std::int64_t begin = 0, end = 0;

  std::int64_t count() const { return end - begin; }
};

/// How a kernel moves along one spatial axis (ops.md 9): element t of the kernel at
/// position o meets x[o * stride - pad_begin + t * dilation].
struct Window {
  std::int64_t extent = 1;  ///< the image's extent
  std::int64_t kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;

  /// Elements of the image that the kernel spans.
  std::int64_t span() const { return dilation * (kernel - 1) + 1; }
  std::int64_t padded() const { return extent + pad_begin + pad_end; }
  /// Positions of the kernel, when it fits.
  std::int64_t positions() const { return (padded() - span()) / stride + 1; }

  /// Numbers that make sense, and small enough that nothing above overflows.
  bool valid() const {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    return kernel >= 1 && kernel < most && stride >= 1 && stride < most && dilation >= 1 && dilation < most - 1 &&
           pad_begin >= 0 && pad_begin < most && pad_end >= 0 && pad_end < most && extent < most << 29;
  }
  bool fits() const { return padded() >= span(); }

  /// The elements t of the kernel that at position o lie in [low, high) of the image.
  IndexRange taps_within(std::int64_t o, std::int64_t low, std::int64_t high) const;
  IndexRange taps_inside(std::int64_t o) const { return taps_within(o, 0, extent); }

  /// The positions o of the first `count` at which element t of the kernel lies in the image.
  IndexRange positions_inside(std::int64_t t, std::int64_t count) const;
};

/// One Window for each spatial axis of an image [N, C, D..] and kernel [.., k..].
/// Empty lists mean all 1, all 1 and all 0; pads are all begins, then all ends.
/// Throws Error when a list has another length.
std::vector<Window> windows(const Shape& image, std::span<const std::int64_t> kernel,
                            const std::vector<std::int64_t>& strides, const std::vector<std::int64_t>& dilations,
                            const std::vector<std::int64_t>& pads);

}  // namespace plumb::ir::kernels

#pragma once

#include "ir/shape.hpp"

namespace plumb::ir::kernels {

/// One axis of a copy: its extent, and how far apart in either tensor its
/// elements are, in elements. A source stride may be 0 or negative.
struct CopyAxis {
  std::int64_t extent = 1, from = 0, to = 0;
  bool operator==(const CopyAxis&) const = default;
};

/// A copy between strided axes, common to the ops that only move elements: for every multi-index j
///
///   y[to + Σ j[k]·axes[k].to] = x[from + Σ j[k]·axes[k].from]
///
/// The last axis is the innermost, and dense in y. An element is `width` bytes.
struct StridedCopy {
  std::size_t width = 1;
  std::vector<CopyAxis> axes;
  std::int64_t from = 0, to = 0;

  std::int64_t elements() const;

  /// Whether it takes the first elements of x, in their order, to the first of y.
  bool is_plain() const;

  /// An equivalent copy with as few axes as possible, whose elements are as wide as the innermost
  /// runs allow (at most 16 bytes). A plain copy has one axis or none.
  StridedCopy simplified() const;

  bool operator==(const StridedCopy&) const = default;
};

/// Reads x along strides into a dense y of shape `extents`.
StridedCopy read_strided(DType dtype, const Shape& extents, const std::vector<std::int64_t>& strides,
                         std::int64_t from = 0);

/// The range [start, start + part's extent) of `whole` along an axis, taken out
/// of it (`read_part`) or put there (`write_part`). `part` and `whole` differ in
/// no other extent.
StridedCopy read_part(const TensorType& whole, const Shape& part, std::size_t axis, std::int64_t start);
StridedCopy write_part(const TensorType& whole, const Shape& part, std::size_t axis, std::int64_t start);

}  // namespace plumb::ir::kernels

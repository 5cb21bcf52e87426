#pragma once

#include "ir/shape.hpp"

namespace plumb::ir::kernels {

/// The element that is read at a position beyond either end of an axis of x.
enum class Beyond {
  fill,     ///< none: y is filled there
  clamp,    ///< the nearest element
  wrap,     ///< x repeated
  reflect,  ///< x mirrored at its first and last element again and again, these not repeated
};

/// One axis of an index map: position j of y's `extent` reads position j + shift of x's
/// `size`, in elements `stride` apart.
struct MapAxis {
  std::int64_t extent = 1, size = 1, shift = 0, stride = 1;

  /// Whether each position of x is read once, in order.
  bool is_whole() const { return shift == 0 && extent == size; }
  bool operator==(const MapAxis&) const = default;
};

/// The map common to the ops that read axes beyond their ends or in a cycle (pad, tile, roll):
///
///   y[j0, j1, ..] = x[from + Σ at(axes[k], jk)·axes[k].stride]
///
/// y is dense. An element is `width` bytes; x has none only if all of y is filled.
struct IndexMap {
  std::size_t width = 1;
  Beyond beyond = Beyond::fill;
  std::vector<MapAxis> axes;
  std::int64_t from = 0;

  std::int64_t elements() const;

  /// An equivalent map with as few axes as possible, whose elements are as wide as the innermost runs
  /// allow (at most 16 bytes).
  IndexMap simplified() const;

  bool operator==(const IndexMap&) const = default;
};

/// A run of neighbours along an axis of y: they read x from `at` on, `step` (1, 0 or -1)
/// positions apart, or nothing where `at` is negative.
struct MapRun {
  std::int64_t at, step, count;
};

/// The run that starts at position j of the axis; it may end beyond its last position.
MapRun run_at(const MapAxis& axis, Beyond beyond, std::int64_t j);

}  // namespace plumb::ir::kernels

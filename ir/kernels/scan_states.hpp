#pragma once

#include <algorithm>

#include "ir/op.hpp"

/// Types and extents common to scans, whose states are internal between steps (ops.md 11). The state before the first
/// step and those that a scan returns have a dtype of their own; the other operands and results may be narrower.
namespace plumb::ir::kernels {

/// A state of a scan, and how many steps it takes.
struct ScanStates {
  TensorType state;
  std::int64_t steps = 0;
  std::int64_t every = 0;  ///< states are given after so many steps, as often as that fits; 0: the last one alone

  /// How many states there are on the way.
  std::int64_t count() const { return every == 0 ? 0 : steps / every; }

  /// The results of a scan whose own one is `y`: it, the last state and, where they are asked for, those on the way.
  TensorTypes outputs(TensorType y) const {
    TensorTypes made = {std::move(y), state};
    if (every == 0) return made;
    Shape shape{count()};
    for (const std::int64_t extent : state.shape) shape.push_back(extent);
    made.push_back({state.dtype, std::move(shape)});
    return made;
  }
};

/// The dtype of the states that a scan gives: what the attribute says, else that of the state it is given, else that
/// of its data.
inline DType dtype_of_states(std::optional<DType> attribute, bool has_state, Types in) {
  return attribute.value_or(has_state ? in.back().dtype : in.front().dtype);
}

/// The dtype that a scan computes in: f64 where its data or one of its states is, else f32; states are read exactly.
inline DType computed_by_scan(Types in, DType states) {
  const bool is_wide =
      states == DType::f64 || std::ranges::any_of(in, [](const TensorType& type) { return type.dtype == DType::f64; });
  return is_wide ? DType::f64 : DType::f32;
}

/// A scan whose states decay by factors that are given: selective_scan and mamba2 alike. Rows of states, `rows` for
/// each head, go h ← exp(dt·a)·h + (dt·x)·b, and y = Σ c·h + d·x is read of each. With data in the order x, dt, a, b,
/// c, then d and the state where they are there:
///
///   x, y    [batches, steps, heads, rows]        dt  [batches, steps, heads]
///   b, c    [batches, steps, groups, size]       a   [heads, size] if factors differ by state, else [heads]
///   d       [heads]                              state  [batches, heads, rows, size]
struct DecayedScan {
  std::int64_t batches = 0, steps = 0, heads = 0, rows = 1, groups = 1, size = 1;
  bool differs_by_state = false, has_skip = false, has_state = false;
  ScanStates states = {};
  DType computed = DType::f32;

  /// Rows of one batch, one after the other along the heads.
  std::int64_t rows_of_batch() const { return heads * rows; }
  std::int64_t group_of(std::int64_t head) const { return head / (heads / groups); }
};

}  // namespace plumb::ir::kernels

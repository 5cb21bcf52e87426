#pragma once

#include "ir/shape.hpp"

namespace plumb::ir::kernels {

/// One axis of loops over operands that broadcast: its extent, and how far apart
/// its elements are in each operand; 0 where the operand is stretched.
struct BroadcastAxis {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;
  bool operator==(const BroadcastAxis&) const = default;
};

/// The loops of an elementwise op: element j of the row-major result comes from
/// element Σ j[i]·axes[i].strides[k] of operand k.
///
/// There are as few axes as can be, but at least one, the slowest first. In the last
/// axis each operand is dense or stretched: its stride is 1 or 0.
struct BroadcastLoops {
  std::vector<BroadcastAxis> axes;

  const BroadcastAxis& row() const { return axes.back(); }

  /// Whether operand k is read in the order of the result, all of it.
  bool is_dense(std::size_t k) const { return axes.size() == 1 && (row().strides[k] == 1 || row().extent == 1); }

  bool operator==(const BroadcastLoops&) const = default;
};

/// The loops that read operands of these shapes, which broadcast to `result`.
BroadcastLoops broadcast_loops(const Shape& result, const std::vector<Shape>& operands);

}  // namespace plumb::ir::kernels

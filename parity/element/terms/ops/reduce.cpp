// The terms of a sum along axes. Written by hand: reductions are settled by the million.
// Optimised: it loops over elements or terms.
#include "ir/ops/reduce.hpp"

#include <algorithm>
#include <cmath>

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// The elements along the axes, row-major: as they are, their sizes, or their squares.
std::optional<Walker> walker(const ir::ops::Reduce& op, std::span<const Operand> operands, const ir::Shape& y) {
  using F = ir::ops::ReduceFunction;
  const F function = op.function;
  if (function != F::sum && function != F::mean && function != F::l1 && function != F::sum_square) return std::nullopt;
  const Operand x = operands[0];
  std::vector<bool> is_summed(x.shape.size(), false);
  for (const std::int64_t axis : op.axes) is_summed[x.shape.axis(axis)] = true;
  std::vector<std::size_t> axes;
  std::vector<std::int64_t> extents;
  for (std::size_t axis = 0; axis < x.shape.size(); ++axis)
    if (is_summed[axis]) {
      axes.push_back(axis);
      extents.push_back(x.shape[axis]);
    }
  const bool is_empty = std::ranges::count(extents, 0) > 0, keeps = op.keep_dims;
  return [=](std::int64_t index, ElementSum& sum) {
    if (is_empty) return;
    const std::vector<std::int64_t> at = position_of(index, y);
    std::vector<std::int64_t> in_x(x.shape.size(), 0), kappa(axes.size(), 0);
    for (std::size_t axis = 0, kept = 0; axis < x.shape.size(); ++axis) {
      if (!is_summed[axis]) in_x[axis] = at[kept];
      if (!is_summed[axis] || keeps) ++kept;
    }
    do {
      for (std::size_t i = 0; i < axes.size(); ++i) in_x[axes[i]] = kappa[i];
      const double value = x.values[static_cast<std::size_t>(index_of(in_x, x.shape))];
      sum.add(function == F::l1 ? std::abs(value) : value, function == F::sum_square ? value : 1);
    } while (step(kappa, extents));
    if (function == F::mean) sum.divisor = static_cast<double>(sum.terms.size());
  };
}

}  // namespace plumb::parity::element::terms

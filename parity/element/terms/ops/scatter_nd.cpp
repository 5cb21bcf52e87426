// The updates of an element. Written by hand: they are sorted by element once, where the element program looks through
// all indices for each.
#include "ir/ops/scatter_nd.hpp"

#include "parity/element/terms/targets.hpp"

namespace plumb::parity::element::terms {

/// The old element, then the updates that fall on it, row-major.
std::optional<Walker> walker(const ir::ops::ScatterNd& op, std::span<const Operand> operands, const ir::Shape& y) {
  if (op.reduction != ir::kernels::ScatterReduction::add) return std::nullopt;
  const Operand indices = operands[1], updates = operands[2];
  const auto given = static_cast<std::size_t>(indices.shape[indices.shape.size() - 1]);
  std::int64_t slice = 1;
  for (std::size_t axis = given; axis < y.size(); ++axis) slice *= y[axis];
  Targets targets;
  for (std::size_t k = 0; k < updates.values.size(); ++k) {
    const auto number = static_cast<std::int64_t>(k);
    std::int64_t element = 0;
    for (std::size_t axis = 0; axis < given; ++axis) {
      const std::size_t in_indices = static_cast<std::size_t>(number / slice) * given + axis;
      element = element * y[axis] + counted_from_0(indices.values[in_indices], y[axis]);
    }
    targets.add(element * slice + number % slice, number);
  }
  return Targets::walker(std::move(targets), updates, operands[0]);
}

}  // namespace plumb::parity::element::terms

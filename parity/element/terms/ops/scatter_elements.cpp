// The updates of an element. Written by hand: they are sorted by element once, where the element program looks through
// all indices for each.
#include "ir/ops/scatter_elements.hpp"

#include "parity/element/terms/targets.hpp"

namespace plumb::parity::element::terms {

/// The old element, then the updates that fall on it, row-major.
std::optional<Walker> walker(const ir::ops::ScatterElements& op, std::span<const Operand> operands,
                             const ir::Shape& y) {
  if (op.reduction != ir::kernels::ScatterReduction::add) return std::nullopt;
  const Operand indices = operands[1];
  const std::size_t axis = y.axis(op.axis);
  Targets targets;
  for (std::size_t k = 0; k < indices.values.size(); ++k) {
    std::vector<std::int64_t> at = position_of(static_cast<std::int64_t>(k), indices.shape);
    at[axis] = counted_from_0(indices.values[k], y[axis]);
    targets.add(index_of(at, y), static_cast<std::int64_t>(k));
  }
  return Targets::walker(std::move(targets), operands[2], operands[0]);
}

}  // namespace plumb::parity::element::terms

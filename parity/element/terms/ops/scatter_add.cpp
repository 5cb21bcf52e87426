// The updates of an element. Written by hand: they are sorted by element once, where the element program looks through
// all indices for each.
#include "ir/ops/scatter_add.hpp"

#include "parity/element/terms/targets.hpp"

namespace plumb::parity::element::terms {

/// The updates that fall on the element, row-major.
std::optional<Walker> walker(const ir::ops::ScatterAdd& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand updates = operands[0], indices = operands[1];
  const std::size_t axis = y.axis(op.axis), taken = indices.shape.size();
  Targets targets;
  for (std::size_t k = 0; k < updates.values.size(); ++k) {
    const std::vector<std::int64_t> at = position_of(static_cast<std::int64_t>(k), updates.shape);
    std::int64_t in_indices = 0;
    for (std::size_t i = 0; i < taken; ++i) in_indices = in_indices * indices.shape[i] + at[axis + i];
    std::vector<std::int64_t> in_y(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(axis));
    in_y.push_back(counted_from_0(indices.values[static_cast<std::size_t>(in_indices)], op.size));
    in_y.insert(in_y.end(), at.begin() + static_cast<std::ptrdiff_t>(axis + taken), at.end());
    targets.add(index_of(in_y, y), static_cast<std::int64_t>(k));
  }
  return Targets::walker(std::move(targets), updates, {});
}

}  // namespace plumb::parity::element::terms

#include "ir/ops/cumulative.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// The elements up to this one, in the order in which the sum runs.
std::optional<Walker> walker(const ir::ops::Cumulative& op, std::span<const Operand> operands, const ir::Shape& y) {
  if (op.function != ir::ops::CumulativeFunction::sum) return std::nullopt;
  const Operand x = operands[0];
  const std::size_t axis = y.axis(op.axis);
  return [=](std::int64_t index, ElementSum& sum) {
    std::vector<std::int64_t> at = position_of(index, y);
    const std::int64_t count = op.reverse ? y[axis] - at[axis] : at[axis] + 1;
    for (std::int64_t k = 0; k < count - (op.exclusive ? 1 : 0); ++k) {
      at[axis] = op.reverse ? y[axis] - 1 - k : k;
      sum.add(x.values[static_cast<std::size_t>(index_of(at, y))]);
    }
  };
}

}  // namespace plumb::parity::element::terms

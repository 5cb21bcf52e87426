// The elements of a running sum. Written by hand: each has the terms of the one before it, and lines of them are
// settled at once.
#include "ir/ops/cumulative.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// The elements up to this one, in the order in which the sum runs.
std::optional<Walker> walker(const ir::ops::Cumulative& op, std::span<const Operand> operands, const ir::Shape& y) {
  if (op.function != ir::ops::CumulativeFunction::sum) return std::nullopt;
  const Operand x = operands[0];
  const std::size_t axis = y.axis(op.axis);
  const auto prefix = [=](std::int64_t index) {
    std::vector<std::int64_t> at = position_of(index, y);
    const std::int64_t place = op.reverse ? y[axis] - 1 - at[axis] : at[axis];
    at[axis] = op.reverse ? y[axis] - 1 : 0;
    std::int64_t step = op.reverse ? -1 : 1;
    for (std::size_t inner = axis + 1; inner < y.size(); ++inner) step *= y[inner];
    return Prefix{x.values, index_of(at, y), step, place + (op.exclusive ? 0 : 1)};
  };
  const auto add_terms = [=](std::int64_t index, ElementSum& sum) {
    const Prefix of = prefix(index);
    for (std::int64_t k = 0; k < of.count; ++k) sum.add(of.term(k));
  };
  return Walker(add_terms, Walker::OfPrefix(prefix));
}

}  // namespace plumb::parity::element::terms

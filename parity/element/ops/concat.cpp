// The operand whose part of the axis the element is in.
#include "ir/ops/concat.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Concat& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.out().size());
  Position at = call.at();
  std::size_t operand = 0;
  while (at[axis] >= call.in(operand)[axis]) at[axis] -= call.in(operand++)[axis];
  return call.number(operand, at);
}

}  // namespace plumb::parity::element

// x, and the updates whose index along the axis is the position's.
#include "ir/ops/scatter_elements.hpp"

#include "parity/element/scattered.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::ScatterElements& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.at().size());
  const ir::Shape& indices = call.in(1);
  std::vector<Number> updates;
  Position at = call.at();
  for (std::size_t k = 0; k < at.size(); ++k)
    if (k != axis && at[k] >= indices[k]) return call.number(0, call.at());
  for (at[axis] = 0; at[axis] < indices[axis]; ++at[axis])
    if (call.index(1, at, call.out()[axis]) == call.at(axis)) updates.push_back(call.number(2, at));
  return joined(joining_of(op.reduction), call.dtype_out(), call.number(0, call.at()), updates);
}

}  // namespace plumb::parity::element

// y[.. i ..] = x[.. indices[.. i ..] ..] along the axis.
#include "ir/ops/gather_elements.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::GatherElements& op, const Call& call) {
  Position in_x = call.at();
  const std::size_t axis = axis_of(op.axis, in_x.size());
  in_x[axis] = call.index(1, call.at(), call.in(0)[axis]);
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element

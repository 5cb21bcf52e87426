// The element at the same distance from the other end.
#include "ir/ops/reverse.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Reverse& op, const Call& call) {
  Position in_x = call.at();
  for (const std::int64_t k : op.axes) {
    const std::size_t axis = axis_of(k, in_x.size());
    in_x[axis] = call.in(0)[axis] - 1 - call.at(axis);
  }
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element

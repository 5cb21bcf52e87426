// The element of that rank in its line, and where it was.
#include "ir/ops/sort.hpp"

#include "parity/element/order.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Sort& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.at().size());
  const auto places = first_in_order(call, call.at(), axis, op.descending, call.at(axis) + 1);
  if (call.output() == 1) return {Real(places.back())};
  Position in_x = call.at();
  in_x[axis] = places.back();
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element

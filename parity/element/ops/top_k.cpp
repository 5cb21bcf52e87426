// One of the k first elements of its line, by size or by index.
#include "ir/ops/top_k.hpp"

#include <algorithm>

#include "parity/element/order.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::TopK& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.at().size());
  auto places = first_in_order(call, call.at(), axis, op.largest, op.k);
  if (!op.sorted) std::ranges::sort(places);
  const std::int64_t place = places[static_cast<std::size_t>(call.at(axis))];
  if (call.output() == 1) return {Real(place)};
  Position in_x = call.at();
  in_x[axis] = place;
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element

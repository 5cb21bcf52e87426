// The value "on" where the coordinate is the index, "off" elsewhere and for indices out of range.
#include "ir/ops/one_hot.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::OneHot& op, const Call& call) {
  Position in_indices = call.at();
  const std::size_t axis = axis_of(op.axis, call.out().size());
  in_indices.erase(in_indices.begin() + static_cast<std::ptrdiff_t>(axis));
  const std::int64_t given = call.whole(0, in_indices), index = given < 0 ? given + op.depth : given;
  return call.number(1, Position{index == call.at(axis) ? 1 : 0});
}

}  // namespace plumb::parity::element

// Part k begins where the parts before it end.
#include "ir/ops/split.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Split& op, const Call& call) {
  Position in_x = call.at();
  const std::size_t axis = axis_of(op.axis, in_x.size());
  for (std::size_t part = 0; part < call.output(); ++part) in_x[axis] += op.sizes[part];
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element

// y[i] = x[(i - shift) mod n]; shifts of one axis add up.
#include "ir/ops/roll.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Roll& op, const Call& call) {
  Position in_x = call.at();
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    const std::size_t axis = axis_of(op.axes[k], in_x.size());
    const std::int64_t n = call.in(0)[axis], there = (in_x[axis] - op.shifts[k] % n) % n;
    in_x[axis] = there < 0 ? there + n : there;
  }
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element

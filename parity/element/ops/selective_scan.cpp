// A channel is a head of one row, and its states have factors of their own.
#include "ir/ops/selective_scan.hpp"

#include "parity/element/decayed_scan.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::SelectiveScan& op, const Call& call) {
  const ir::Shape &x = call.in(0), &a = call.in(2);
  return decayed_element({x[1], x[2], 1, 1, a[1], true, op.has_skip, op.has_state, op.state_every}, call);
}

}  // namespace plumb::parity::element

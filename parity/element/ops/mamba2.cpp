// Heads of several rows, each of which has one factor a step.
#include "ir/ops/mamba2.hpp"

#include "parity/element/decayed_scan.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Mamba2& op, const Call& call) {
  const ir::Shape &x = call.in(0), &b = call.in(3);
  return decayed_element({x[1], x[2], x[3], b[2], b[3], false, op.has_skip, op.has_state, op.state_every}, call);
}

}  // namespace plumb::parity::element

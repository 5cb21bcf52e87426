// minimum(maximum(x, min), max).
#include "ir/ops/clamp.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Clamp& op, const Call& call) {
  Real y = call.stretched(0).re;
  if (op.has_min) y = maximum(y, call.stretched(1).re);
  if (op.has_max) y = minimum(y, call.stretched(op.has_min ? 2 : 1).re);
  return y;
}

}  // namespace plumb::parity::element

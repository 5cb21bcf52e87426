// The element that broadcasting puts there.
#include "ir/ops/expand.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Expand&, const Call& call) { return call.stretched(0); }

}  // namespace plumb::parity::element

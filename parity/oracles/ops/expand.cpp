// The element that broadcasting puts there.
#include "ir/ops/expand.hpp"

#include "parity/oracles/call.hpp"

namespace plumb::parity::oracles {

Number element(const ir::ops::Expand&, const Call& call) { return call.stretched(0); }

}  // namespace plumb::parity::oracles

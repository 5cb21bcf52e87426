// One of two elements; the other has no influence.
#include "ir/ops/where.hpp"

#include "parity/oracles/call.hpp"

namespace plumb::parity::oracles {

Number element(const ir::ops::Where&, const Call& call) {
  return call.stretched(call.stretched(0).re.value != 0 ? 1 : 2);
}

}  // namespace plumb::parity::oracles

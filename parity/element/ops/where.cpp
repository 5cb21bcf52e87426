// One of two elements; the other has no influence.
#include "ir/ops/where.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Where&, const Call& call) {
  return call.stretched(call.stretched(0).re.value != 0 ? 1 : 2);
}

}  // namespace plumb::parity::element

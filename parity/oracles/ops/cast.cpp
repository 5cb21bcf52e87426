// A number as another dtype has it.
#include "ir/ops/cast.hpp"

#include "parity/oracles/stored.hpp"

namespace plumb::parity::oracles {

Number element(const ir::ops::Cast& op, const Call& call) {
  return stored_as(call.dtype_in(0), op.to, call.number(0, call.at()));
}

}  // namespace plumb::parity::oracles

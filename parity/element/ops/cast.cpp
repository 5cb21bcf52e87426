// A number as another dtype has it.
#include "ir/ops/cast.hpp"

#include "parity/element/stored.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Cast& op, const Call& call) {
  return stored_as(call.dtype_in(0), op.to, call.number(0, call.at()));
}

}  // namespace plumb::parity::element

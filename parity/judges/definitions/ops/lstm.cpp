// All steps of an lstm, one after the other.
#include "ir/ops/lstm.hpp"

#include "parity/judges/definitions/recurrent.hpp"

namespace plumb::parity::judges::definitions {

Definition define(const ir::ops::Lstm& op, ir::Types in) { return unrolled(op, in); }

}  // namespace plumb::parity::judges::definitions

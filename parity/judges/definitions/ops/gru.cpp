// All steps of a gru, one after the other.
#include "ir/ops/gru.hpp"

#include "parity/judges/definitions/recurrent.hpp"

namespace plumb::parity::judges::definitions {

Definition define(const ir::ops::Gru& op, ir::Types in) { return unrolled(op, in); }

}  // namespace plumb::parity::judges::definitions

// All steps of an rnn, one after the other.
#include "ir/ops/rnn.hpp"

#include "parity/judges/definitions/recurrent.hpp"

namespace plumb::parity::judges::definitions {

Definition define(const ir::ops::Rnn& op, ir::Types in) { return unrolled(op, in); }

}  // namespace plumb::parity::judges::definitions

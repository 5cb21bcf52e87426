// Symmetries of a simple recurrent network: sequences by themselves, and steps in pieces.
#include "ir/ops/rnn.hpp"

#include "parity/relations/recurrence.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::Rnn& op, ir::Types in, ir::Types) { return of_recurrence(op, in); }

}  // namespace plumb::parity::relations

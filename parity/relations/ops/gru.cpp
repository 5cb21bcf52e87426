// Symmetries of a gated recurrent unit: sequences by themselves, and steps in pieces.
#include "ir/ops/gru.hpp"

#include "parity/relations/recurrence.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::Gru& op, ir::Types in, ir::Types) { return of_recurrence(op, in); }

}  // namespace plumb::parity::relations

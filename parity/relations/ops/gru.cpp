// A gated recurrent unit: steps in pieces.
#include "ir/ops/gru.hpp"

#include "parity/relations/recurrence.hpp"

namespace plumb::parity::relations {

void amend(const ir::ops::Gru& op, ir::Types, ir::Types, Symmetries& made) { made.steps = steps_of_recurrence(op); }

}  // namespace plumb::parity::relations

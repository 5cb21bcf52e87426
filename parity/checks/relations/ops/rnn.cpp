// A simple recurrent network: steps in pieces.
#include "ir/ops/rnn.hpp"

#include "parity/checks/relations/recurrence.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::Rnn& op, ir::Types, ir::Types, Symmetries& made) {
  made.steps = steps_of_recurrence(op);
  made.feeds_back = true;
}

}  // namespace plumb::parity::checks::relations

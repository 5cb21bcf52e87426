// A long short-term memory: steps in pieces.
#include "ir/ops/lstm.hpp"

#include "parity/checks/relations/recurrence.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::Lstm& op, ir::Types, ir::Types, Symmetries& made) {
  made.steps = steps_of_recurrence(op);
  made.feeds_back = true;
}

}  // namespace plumb::parity::checks::relations

// Symmetries of a long short-term memory: sequences by themselves, and steps in pieces.
#include "ir/ops/lstm.hpp"

#include "parity/relations/recurrence.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::Lstm& op, ir::Types in, ir::Types) { return of_recurrence(op, in); }

}  // namespace plumb::parity::relations

// Symmetries of the recurrence of Mamba-2: batches by themselves, and steps in pieces.
#include "ir/ops/mamba2.hpp"

#include "parity/relations/recurrence.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::Mamba2& op, ir::Types in, ir::Types) { return of_scan(op, in); }

}  // namespace plumb::parity::relations

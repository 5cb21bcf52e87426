// Symmetries of the recurrence of Mamba-1: batches by themselves, and steps in pieces.
#include "ir/ops/selective_scan.hpp"

#include "parity/relations/recurrence.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::SelectiveScan& op, ir::Types in, ir::Types) { return of_scan(op, in); }

}  // namespace plumb::parity::relations

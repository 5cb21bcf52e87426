// The recurrence of Mamba-1: steps in pieces.
#include "ir/ops/selective_scan.hpp"

#include "parity/checks/relations/recurrence.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::SelectiveScan& op, ir::Types in, ir::Types, Symmetries& made) { amend_scan(op, in, made); }

}  // namespace plumb::parity::checks::relations

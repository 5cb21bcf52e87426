// The recurrence of Mamba-2: steps in pieces.
#include "ir/ops/mamba2.hpp"

#include "parity/checks/relations/recurrence.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::Mamba2& op, ir::Types in, ir::Types, Symmetries& made) { amend_scan(op, in, made); }

}  // namespace plumb::parity::checks::relations

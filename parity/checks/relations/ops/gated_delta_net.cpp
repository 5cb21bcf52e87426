// Linear attention with decay and delta rule: steps in pieces.
#include "ir/ops/gated_delta_net.hpp"

#include "parity/checks/relations/recurrence.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::GatedDeltaNet& op, ir::Types in, ir::Types, Symmetries& made) { amend_scan(op, in, made); }

}  // namespace plumb::parity::checks::relations

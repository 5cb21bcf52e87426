// Symmetries of linear attention with decay and delta rule: batches by themselves, and steps in pieces.
#include "ir/ops/gated_delta_net.hpp"

#include "parity/relations/recurrence.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::GatedDeltaNet& op, ir::Types in, ir::Types) { return of_scan(op, in); }

}  // namespace plumb::parity::relations

// Symmetries of lp normalisation: lines by themselves, and a line in any order.
#include "ir/ops/lp_norm.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::LpNorm& op, ir::Types in, ir::Types) { return {.axes = lines(in, op.axis, true)}; }

}  // namespace plumb::parity::relations

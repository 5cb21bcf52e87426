// Fused multiply-add: the factors may be exchanged.
#include "ir/ops/fma.hpp"

#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::Fma& op, ir::Types, ir::Types, Symmetries& made) { made.exchange = Exchange{.op = op}; }

}  // namespace plumb::parity::checks::relations

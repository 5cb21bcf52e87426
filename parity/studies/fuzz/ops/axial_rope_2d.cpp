// Heads of whole quads, on grids that have room for many tokens.
#include "ir/ops/axial_rope_2d.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::AxialRope2d& op, Chooser& choose) {
  op.head_dim = choose.number({4, 8, 12, 32, 64});
  op.width = choose.number({1, 3, 8, 17});
  op.height = choose.number({1, 5, 16, 33});
  op.theta = choose.once_in(2) ? 10000 : 100;
}

}  // namespace plumb::parity::studies::fuzz

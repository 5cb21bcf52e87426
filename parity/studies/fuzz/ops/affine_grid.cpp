// Grids of images and of volumes.
#include "ir/ops/affine_grid.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::AffineGrid& op, Chooser& choose) {
  op.output_shape = choose.numbers(2 + choose.below(2), {1, 2, 3, 5, 8, 17});
}

}  // namespace plumb::parity::studies::fuzz

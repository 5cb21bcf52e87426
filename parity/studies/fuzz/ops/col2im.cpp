// Images that windows cover.
#include "ir/ops/col2im.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Col2im& op, Chooser& choose) {
  const std::size_t axes = 1 + choose.below(2);
  op.image_shape = choose.numbers(axes, {3, 5, 8, 17});
  op.kernel_shape = choose.numbers(axes, {1, 2, 3});
  draw_windows(op, axes, choose);
}

}  // namespace plumb::parity::studies::fuzz

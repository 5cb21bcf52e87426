// Windows of one to three axes.
#include "ir/ops/im2col.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Im2col& op, Chooser& choose) {
  const std::size_t axes = 1 + choose.below(3);
  op.kernel_shape = choose.numbers(axes, {1, 2, 3});
  draw_windows(op, axes, choose);
}

}  // namespace plumb::parity::studies::fuzz

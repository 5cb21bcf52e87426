// Windows of one to three axes; indices of maxima alone.
#include "ir/ops/pool.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Pool& op, Chooser& choose) {
  const std::size_t axes = 1 + choose.below(3);
  op.kernel_shape = choose.numbers(axes, {1, 2, 3});
  draw_windows(op, axes, choose);
  op.with_indices = op.with_indices && op.function == ir::ops::PoolFunction::max;
  op.p = choose.number({1, 2, 3});
}

}  // namespace plumb::parity::studies::fuzz

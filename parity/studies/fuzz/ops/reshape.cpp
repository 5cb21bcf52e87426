// Products of extents, one of which may be open.
#include "ir/ops/reshape.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Reshape& op, Chooser& choose) {
  op.shape = choose.numbers(1 + choose.below(4), {1, 2, 3, 4, 8, 17});
  if (choose.once_in(2)) op.shape[choose.below(op.shape.size())] = -1;
}

}  // namespace plumb::parity::studies::fuzz

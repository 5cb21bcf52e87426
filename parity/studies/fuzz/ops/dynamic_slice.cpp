// Boxes of one to three axes.
#include "ir/ops/dynamic_slice.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::DynamicSlice& op, Chooser& choose) {
  op.sizes = choose.numbers(1 + choose.below(3), {1, 2, 3, 8, 17});
}

}  // namespace plumb::parity::studies::fuzz

// Lines that hold the windows of short inputs.
#include "ir/ops/overlap_add.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::OverlapAdd& op, Chooser& choose) {
  op.hop = choose.number({1, 3, 8, 16});
  op.length = choose.number({65, 300, 1100});
}

}  // namespace plumb::parity::studies::fuzz

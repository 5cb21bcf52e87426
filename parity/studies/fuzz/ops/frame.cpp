// Windows with and without overlap.
#include "ir/ops/frame.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Frame& op, Chooser& choose) {
  op.size = choose.number({1, 2, 7, 16, 33, 64});
  op.hop = choose.number({1, 3, 16, 40});
}

}  // namespace plumb::parity::studies::fuzz

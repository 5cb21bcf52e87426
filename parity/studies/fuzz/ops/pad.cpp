// Pads of up to four axes, which crop, too.
#include "ir/ops/pad.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Pad& op, Chooser& choose) {
  const std::size_t axes = 1 + choose.below(4);
  op.pads = choose.once_in(3) ? choose.numbers(2 * axes, {-1, 0, 1, 2}) : choose.numbers(2 * axes, {0, 0, 1, 2, 5});
}

}  // namespace plumb::parity::studies::fuzz

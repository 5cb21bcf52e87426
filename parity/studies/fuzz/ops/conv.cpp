// Windows of one to three axes, in groups.
#include "ir/ops/conv.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Conv& op, Chooser& choose) { draw_convolution(op, choose); }

}  // namespace plumb::parity::studies::fuzz

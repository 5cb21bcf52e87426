// Windows of one to three axes, in groups.
#include "ir/ops/qconv.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Qconv& op, Chooser& choose) { draw_convolution(op, choose); }

}  // namespace plumb::parity::studies::fuzz

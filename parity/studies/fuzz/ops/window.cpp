// Short windows and long ones.
#include "ir/ops/window.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Window& op, Chooser& choose) { op.size = choose.number({1, 2, 3, 16, 33, 400}); }

}  // namespace plumb::parity::studies::fuzz

// Small blocks.
#include "ir/ops/depth_to_space.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::DepthToSpace& op, Chooser& choose) { op.block = choose.number({1, 2, 3}); }

}  // namespace plumb::parity::studies::fuzz

// Small blocks.
#include "ir/ops/space_to_depth.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::SpaceToDepth& op, Chooser& choose) { op.block = choose.number({1, 2, 3}); }

}  // namespace plumb::parity::studies::fuzz

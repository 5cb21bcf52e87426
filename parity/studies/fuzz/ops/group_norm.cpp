// Groups of one channel and of several.
#include "ir/ops/group_norm.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::GroupNorm& op, Chooser& choose) { op.num_groups = choose.number({1, 2, 3, 4, 8}); }

}  // namespace plumb::parity::studies::fuzz

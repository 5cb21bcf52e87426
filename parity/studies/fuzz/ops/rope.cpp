// Tables with rows for the positions that are asked for.
#include "ir/ops/rope.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Rope& op, Chooser& choose) { op.offset = op.has_positions ? 0 : choose.number({0, 0, 1, 5}); }

}  // namespace plumb::parity::studies::fuzz

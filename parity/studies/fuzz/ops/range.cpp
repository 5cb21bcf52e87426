// Few numbers and many.
#include "ir/ops/range.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Range& op, Chooser& choose) { op.count = choose.number({0, 1, 2, 17, 256, 1000}); }

}  // namespace plumb::parity::studies::fuzz

// Odd and even windows.
#include "ir/ops/lrn.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Lrn& op, Chooser& choose) { op.size = choose.number({1, 2, 3, 5, 8}); }

}  // namespace plumb::parity::studies::fuzz

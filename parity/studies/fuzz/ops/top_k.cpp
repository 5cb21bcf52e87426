// Few of a line and many.
#include "ir/ops/top_k.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::TopK& op, Chooser& choose) { op.k = choose.number({1, 2, 3, 8, 17, 64}); }

}  // namespace plumb::parity::studies::fuzz

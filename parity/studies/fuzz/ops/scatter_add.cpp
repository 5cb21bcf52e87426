// Sums of many updates and of few.
#include "ir/ops/scatter_add.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::ScatterAdd& op, Chooser& choose) { op.size = choose.number({1, 2, 7, 33, 200}); }

}  // namespace plumb::parity::studies::fuzz

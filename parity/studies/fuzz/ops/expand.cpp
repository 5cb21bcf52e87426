// Up to four axes.
#include "ir/ops/expand.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Expand& op, Chooser& choose) {
  op.shape = choose.numbers(1 + choose.below(4), {1, 2, 3, 5, 8, 17});
}

}  // namespace plumb::parity::studies::fuzz

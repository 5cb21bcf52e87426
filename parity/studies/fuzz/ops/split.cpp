// Two parts or more, some of them empty.
#include "ir/ops/split.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Split& op, Chooser& choose) {
  op.sizes = choose.numbers(2 + choose.below(3), {0, 1, 2, 5, 16, 33});
}

}  // namespace plumb::parity::studies::fuzz

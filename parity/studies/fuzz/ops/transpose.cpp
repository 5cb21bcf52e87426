// Permutations of up to eight axes.
#include "ir/ops/transpose.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Transpose& op, Chooser& choose) {
  op.permutation = choose.permutation(static_cast<std::size_t>(choose.number({1, 2, 2, 3, 3, 4, 4, 5, 6, 8})));
}

}  // namespace plumb::parity::studies::fuzz

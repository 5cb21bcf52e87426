// Tokens by all the ways in which a likely one is chosen.
#include "ir/ops/sample.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Sample& op, Chooser& choose) {
  op.temperature = choose.one_of({0.0, 0.5, 1.0, 2.0});
  op.top_p = choose.one_of({0.25, 0.9, 1.0});
  op.min_p = choose.one_of({0.0, 0.0, 0.05, 0.5});
  op.top_k = choose.number({0, 0, 1, 2, 5, 40});
}

}  // namespace plumb::parity::studies::fuzz

// A range about 0, which most numbers lie in, or few.
#include "ir/ops/histogram.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Histogram& op, Chooser& choose) {
  op.bins = choose.number({1, 2, 7, 16, 100});
  op.min = choose.one_of({-3.0, -1.0, -0.25});
  op.max = choose.one_of({0.25, 1.0, 4.0});
}

}  // namespace plumb::parity::studies::fuzz

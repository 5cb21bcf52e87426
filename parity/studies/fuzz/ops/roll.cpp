// Shifts of any sign, some further than the axis is long.
#include "ir/ops/roll.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Roll& op, Chooser& choose) {
  op.axes = choose.one_of<Whole>({{-1}, {0}, {0, 1}, {-1, 0}, {1, 1}});
  op.shifts = choose.numbers(op.axes.size(), {-40, -1, 0, 1, 2, 100});
}

}  // namespace plumb::parity::studies::fuzz

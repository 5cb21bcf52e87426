// Symmetries of running sums and extremes: lines in any order; sums are linear, extremes scale.
#include "ir/ops/cumulative.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Cumulative& op, ir::Types in, ir::Types) {
  using enum ir::ops::CumulativeFunction;
  Symmetries made{.axes = lines(in, op.axis, false)};
  if (op.function != product) made.homogeneous = {{.operands = {0}, .linear = op.function == sum}};
  return made;
}

}  // namespace plumb::parity::relations

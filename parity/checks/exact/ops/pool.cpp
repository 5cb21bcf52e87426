// Exactness of pooling: sums, and means over a power of two of taps; windows over an edge divide by other numbers.
#include "ir/ops/pool.hpp"

#include <algorithm>

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::Pool& op, ir::Types in, ir::Types out) {
  const auto taps = terms_of(op, in, out);
  if (op.function == ir::ops::PoolFunction::sum) return adds_up(op, {{.operands = {0}, .count = taps}});
  if (op.function == ir::ops::PoolFunction::lp) return rounds("roots are rounded");
  const bool at_edges = std::ranges::any_of(op.pads, [](std::int64_t pad) { return pad != 0; }) || op.ceil_mode;
  if (at_edges) return rounds("windows at the edges divide by other numbers than those inside");
  return mean(op, taps);
}

}  // namespace plumb::parity::checks::exact

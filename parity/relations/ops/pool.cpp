// Symmetries of pooling: batch and channels; sums and means are linear, maxima scale.
#include "ir/ops/pool.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Pool& op, ir::Types in, ir::Types) {
  using enum ir::ops::PoolFunction;
  Symmetries made{.axes = {along(in, 0), along(in, 1)}};
  if (op.function != lp) made.homogeneous = {{.operands = {0}, .linear = op.function != max}};
  return made;
}

}  // namespace plumb::parity::relations

// Symmetries of scatter-add: leading axes, updates in any order with their indices, and linearity.
#include "ir/ops/scatter_add.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::ScatterAdd& op, ir::Types in, ir::Types) {
  const std::size_t first = op.first_axis(in[0].shape, in[1].shape);
  Symmetries made{.homogeneous = {{.operands = {0}, .linear = true}}};
  for (std::size_t a = 0; a < first; ++a) made.axes.push_back(along(in, a));
  for (std::size_t a = 0; a < in[1].shape.size(); ++a) made.axes.push_back(summed({first + a, a}));
  return made;
}

}  // namespace plumb::parity::relations

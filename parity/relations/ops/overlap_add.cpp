// Symmetries of overlap-add: leading axes, and linearity.
#include "ir/ops/overlap_add.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::OverlapAdd&, ir::Types in, ir::Types) {
  Symmetries made{.homogeneous = {{.operands = {0}, .linear = true}}};
  for (std::size_t a = 0; a + 2 < in[0].shape.size(); ++a) made.axes.push_back(along(in, a));
  return made;
}

}  // namespace plumb::parity::relations

// Symmetries of transforms: lines by themselves, and linearity.
#include "ir/ops/rfft.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Rfft& op, ir::Types in, ir::Types) {
  return {.axes = lines(in, op.axis, false), .homogeneous = {{.operands = {0}, .linear = true}}};
}

}  // namespace plumb::parity::relations

// Symmetries of col2im: the batch, and linearity.
#include "ir/ops/col2im.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Col2im&, ir::Types in, ir::Types) {
  return {.axes = {along(in, 0)}, .homogeneous = {{.operands = {0}, .linear = true}}};
}

}  // namespace plumb::parity::relations

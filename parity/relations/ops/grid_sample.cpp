// Symmetries of sampling by a grid: batch and channels, and linearity in the image.
#include "ir/ops/grid_sample.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::GridSample&, ir::Types in, ir::Types) {
  return {.axes = {along(in, 0, {0}), along(in, 1)}, .homogeneous = {{.operands = {0}, .linear = true}}};
}

}  // namespace plumb::parity::relations

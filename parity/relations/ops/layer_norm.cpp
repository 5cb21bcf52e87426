// Symmetries of layer norm: lines by themselves, and normalised axes in any order with scale and bias.
#include "ir/ops/layer_norm.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::LayerNorm& op, ir::Types in, ir::Types) {
  return {.axes = norm_of_lines(in, op.axis)};
}

}  // namespace plumb::parity::relations

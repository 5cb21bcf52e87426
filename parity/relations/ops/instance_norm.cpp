// Symmetries of instance norm: batch, channels with their scale and bias, and positions in any order.
#include "ir/ops/instance_norm.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::InstanceNorm&, ir::Types in, ir::Types) {
  std::vector<AxisSymmetry> axes = {along(in, 0), along(in, 1, {0, 0})};
  for (std::size_t a = 2; a < in[0].shape.size(); ++a) {
    axes.push_back(along(in, a));
    axes.back().independent = false;
  }
  return {.axes = axes};
}

}  // namespace plumb::parity::relations

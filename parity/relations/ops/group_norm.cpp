// Symmetries of group norm: the batch, and positions in any order, as statistics do not see it.
#include "ir/ops/group_norm.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::GroupNorm&, ir::Types in, ir::Types) {
  std::vector<AxisSymmetry> axes = {along(in, 0)};
  for (std::size_t a = 2; a < in[0].shape.size(); ++a) {
    axes.push_back(along(in, a));
    axes.back().independent = false;
  }
  return {.axes = axes};
}

}  // namespace plumb::parity::relations

// A line runs over the channels of a group and all positions, here of all groups.
#include "ir/ops/group_norm.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::GroupNorm&, Types in, std::size_t operand, Use& use) {
  if (operand == 0) use.axes = axes_from(1, in[0].shape.size());
}

}  // namespace plumb::ir::adversarial

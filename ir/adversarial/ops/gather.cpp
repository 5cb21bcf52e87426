// Indices count along an axis, from either end.
#include "ir/ops/gather.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Gather& op, Types in, std::size_t operand, Use& use) {
  if (operand != 1) return;
  use.role = Role::index;
  use.high = in[0].shape[in[0].shape.axis(op.axis)];
  use.low = -use.high;
}

}  // namespace plumb::ir::adversarial

// Positions in the whole tensor.
#include "ir/ops/max_unpool.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::MaxUnpool& op, Types in, std::size_t operand, Use& use) {
  if (operand != 1) return;
  use.role = Role::index;
  use.low = 0, use.high = op.indexed(in[0].shape).elements();
}

}  // namespace plumb::ir::adversarial

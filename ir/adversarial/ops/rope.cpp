// Positions are rows of the table.
#include "ir/ops/rope.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Rope&, Types in, std::size_t operand, Use& use) {
  if (operand > 0) use.role = Role::follows;
  if (operand != 3) return;
  use.role = Role::index;
  use.low = 0, use.high = in[1].shape[0];
}

}  // namespace plumb::ir::adversarial

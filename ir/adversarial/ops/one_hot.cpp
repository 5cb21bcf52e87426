// Indices count along an axis, from either end.
#include "ir/ops/one_hot.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::OneHot& op, Types, std::size_t operand, Use& use) {
  if (operand != 1) return;
  use.role = Role::index;
  use.high = op.depth;
  use.low = -use.high;
}

}  // namespace plumb::ir::adversarial

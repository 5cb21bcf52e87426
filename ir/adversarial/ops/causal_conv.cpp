// The samples that a channel's taps meet, and the taps.
#include "ir/ops/causal_conv.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::CausalConv& op, Types, std::size_t operand, Use& use) {
  use.role = operand == 0 ? Role::leads : operand == 1 ? Role::follows : Role::beside;
  if (operand < 2) use.axes = {2};
  if (op.has_state && operand == op.state_operand()) use.role = Role::leads, use.axes = {2};
}

}  // namespace plumb::ir::adversarial

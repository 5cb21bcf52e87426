// The channels and positions that a window may meet, and those of the kernel.
#include "ir/ops/conv.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Conv&, Types in, std::size_t operand, Use& use) {
  use.role = operand == 0 ? Role::leads : operand == 1 ? Role::follows : Role::beside;
  if (operand < 2) use.axes = axes_from(1, in[operand].shape.size());
}

}  // namespace plumb::ir::adversarial

// The channels and positions that meet in one element.
#include "ir/ops/conv_transpose.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::ConvTranspose&, Types in, std::size_t operand, Use& use) {
  use.role = operand == 0 ? Role::leads : operand == 1 ? Role::follows : Role::beside;
  if (operand < 2) use.axes = axes_from(operand == 0 ? 1 : 0, in[operand].shape.size());
}

}  // namespace plumb::ir::adversarial

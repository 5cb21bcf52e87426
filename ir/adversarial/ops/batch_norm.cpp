// A variance is never negative.
#include "ir/ops/batch_norm.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::BatchNorm&, Types, std::size_t operand, Use& use) {
  if (operand > 0) use.axes.clear();
  if (operand > 0) use.role = operand == 4 ? Role::variance : Role::beside;
}

}  // namespace plumb::ir::adversarial

// The contracted axes of a product.
#include "ir/ops/dot_general.hpp"

#include <algorithm>

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::DotGeneral& op, Types in, std::size_t operand, Use& use) {
  use.axes.clear();
  for (const std::int64_t axis : operand == 0 ? op.a_contract : op.b_contract)
    use.axes.push_back(in[operand].shape.axis(axis));
  std::ranges::sort(use.axes);
  use.role = operand == 0 ? Role::leads : Role::follows;
}

}  // namespace plumb::ir::adversarial

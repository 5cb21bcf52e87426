// The inner axes of a product.
#include "ir/ops/matmul.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Matmul& op, Types in, std::size_t operand, Use& use) {
  const std::size_t rank = in[operand].shape.size();
  const bool is_last = operand == 0 ? !op.transpose_a : op.transpose_b;
  use.axes = {is_last ? rank - 1 : rank - 2};
  use.role = operand == 0 ? Role::leads : Role::follows;
}

}  // namespace plumb::ir::adversarial

// The inner axes of a scaled product; its matrix c is added to it.
#include "ir/ops/gemm.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Gemm& op, Types, std::size_t operand, Use& use) {
  if (operand > 1) return void(use.role = Role::beside);
  const bool is_last = operand == 0 ? !op.transpose_a : op.transpose_b;
  use.axes = {std::size_t{is_last ? 1u : 0u}};
  use.role = operand == 0 ? Role::leads : Role::follows;
}

}  // namespace plumb::ir::adversarial

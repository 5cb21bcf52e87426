// Rows where an update can start: anywhere in a circle, else so that it ends within the cache.
#include "ir/ops/tensor_scatter.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::TensorScatter& op, Types in, std::size_t operand, Use& use) {
  if (operand != 2) return;
  const std::size_t axis = in[0].shape.axis(op.axis);
  const std::int64_t rows = in[0].shape[axis];
  use.role = Role::index;
  use.high = rows - in[1].shape[axis] + 1;
  if (op.mode == ops::TensorScatterMode::circular) use.high = 2 * rows + 1, use.low = -2 * rows;
}

}  // namespace plumb::ir::adversarial

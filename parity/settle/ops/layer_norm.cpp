// Lines of layer norm for looking at its elements one by one, and at the mean and inverse deviation that it may give.
#include "ir/ops/layer_norm.hpp"

#include "parity/settle/norm_line.hpp"

namespace plumb::parity::settle {

std::optional<Rows> rows(const ir::ops::LayerNorm& op, const Operation& operation) {
  const ir::Shape& shape = operation.y;
  Normalization how{.lines = element::terms::Lines(shape, element::terms::axes_from(shape, op.axis)),
                    .epsilon = op.epsilon};
  if (op.has_scale) how.scale = broadcast(operation.operands[1], shape);
  if (op.has_bias) how.bias = broadcast(operation.operands.back(), shape);
  if (operation.node.output == 0) return normalized_rows(operation, std::move(how));
  return statistic_rows(operation, std::move(how),
                        operation.node.output == 1 ? Statistic::mean : Statistic::inverse_deviation);
}

}  // namespace plumb::parity::settle

// Lines of RMS norm for looking at its elements one by one.
#include "ir/ops/rms_norm.hpp"

#include "parity/settle/norm_line.hpp"

namespace plumb::parity::settle {

std::optional<Rows> rows(const ir::ops::RmsNorm& op, const Operation& operation) {
  const ir::Shape& shape = operation.y;
  Normalization how{.lines = element::terms::Lines(shape, element::terms::axes_from(shape, op.axis)),
                    .centred = false,
                    .epsilon = op.epsilon};
  if (op.has_scale) how.scale = broadcast(operation.operands[1], shape);
  if (op.has_bias) how.bias = broadcast(operation.operands.back(), shape);
  return normalized_rows(operation, std::move(how));
}

}  // namespace plumb::parity::settle

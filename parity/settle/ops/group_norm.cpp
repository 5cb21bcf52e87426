// Lines of group norm for looking at its elements one by one: groups, with scale and bias by channel.
#include "ir/ops/group_norm.hpp"

#include "parity/settle/norm_line.hpp"

namespace plumb::parity::settle {

std::optional<Rows> rows(const ir::ops::GroupNorm& op, const Operation& operation) {
  const ir::Shape& shape = operation.y;
  const std::int64_t count = shape[0] * op.num_groups;
  Normalization how{.lines = element::terms::Lines({count, shape.elements() / count}, {1}), .epsilon = op.epsilon};
  if (op.has_scale) how.scale = by_channel(operation.operands[1], shape);
  if (op.has_bias) how.bias = by_channel(operation.operands.back(), shape);
  return normalized_rows(operation, std::move(how));
}

}  // namespace plumb::parity::settle

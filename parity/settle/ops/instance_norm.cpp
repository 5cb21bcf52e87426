// Lines of instance norm for looking at its elements one by one: channels of an image.
#include "ir/ops/instance_norm.hpp"

#include "parity/settle/norm_line.hpp"

namespace plumb::parity::settle {

std::optional<Rows> rows(const ir::ops::InstanceNorm& op, const Operation& operation) {
  const ir::Shape& shape = operation.y;
  return normalized_rows(operation, {.lines = element::terms::Lines(shape, element::terms::axes_from(shape, 2)),
                                     .epsilon = op.epsilon,
                                     .scale = by_channel(operation.operands[1], shape),
                                     .bias = by_channel(operation.operands[2], shape)});
}

}  // namespace plumb::parity::settle

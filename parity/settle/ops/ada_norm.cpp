// Lines of norms that a condition modulates for looking at their elements one by one.
#include "ir/ops/ada_norm.hpp"

#include "parity/settle/norm_line.hpp"

namespace plumb::parity::settle {

std::optional<Rows> rows(const ir::ops::AdaNorm& op, const Operation& operation) {
  const ir::Shape& shape = operation.y;
  const auto scale = broadcast(operation.operands[1], shape);
  Normalization how{.lines = element::terms::Lines(shape, element::terms::axes_from(shape, -1)),
                    .centred = op.kind == ir::ops::AdaNormKind::layer,
                    .epsilon = op.epsilon,
                    .scale = [scale](std::int64_t index) { return 1 + scale(index); },
                    .bias = broadcast(operation.operands[2], shape),
                    .roundings_of_scale = 1};
  return normalized_rows(operation, std::move(how));
}

}  // namespace plumb::parity::settle

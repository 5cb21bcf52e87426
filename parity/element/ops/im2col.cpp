// The element that a tap sees from a position, or 0 in the padding.
#include "ir/ops/im2col.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Im2col& op, const Call& call) {
  const std::size_t axes = op.kernel_shape.size();
  const ir::Shape kernel(op.kernel_shape);
  ir::Shape columns;
  std::int64_t taps = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t reach = (kernel[i] - 1) * entry(op.dilations, i, 1) + 1;
    const std::int64_t padded = call.in(0)[2 + i] + entry(op.pads, i, 0) + entry(op.pads, axes + i, 0);
    columns.push_back((padded - reach) / entry(op.strides, i, 1) + 1);
    taps *= kernel[i];
  }
  const Position tap = position_of(call.at(1) % taps, kernel), column = position_of(call.at(2), columns);
  Position in_x = {call.at(0), call.at(1) / taps};
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t begin = column[i] * entry(op.strides, i, 1) - entry(op.pads, i, 0);
    in_x.push_back(begin + tap[i] * entry(op.dilations, i, 1));
    if (in_x.back() < 0 || in_x.back() >= call.in(0)[2 + i]) return Number();
  }
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element

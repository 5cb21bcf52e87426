// The sum of the entries of all columns that fall on the position.
#include "ir/ops/col2im.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Col2im& op, const Call& call) {
  const std::size_t axes = op.image_shape.size();
  ir::Shape kernel(op.kernel_shape), columns;
  std::int64_t taps = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t reach = (kernel[i] - 1) * entry(op.dilations, i, 1) + 1;
    const std::int64_t padded = op.image_shape[i] + entry(op.pads, i, 0) + entry(op.pads, axes + i, 0);
    columns.push_back((padded - reach) / entry(op.strides, i, 1) + 1);
    taps *= kernel[i];
  }
  Sum sum;
  for_each(kernel, [&](const Position& tap) {
    Position column;
    for (std::size_t i = 0; i < axes; ++i) {
      const std::int64_t stride = entry(op.strides, i, 1);
      const std::int64_t scaled = call.at(2 + i) + entry(op.pads, i, 0) - tap[i] * entry(op.dilations, i, 1);
      if (scaled < 0 || scaled % stride != 0 || scaled / stride >= columns[i]) return;
      column.push_back(scaled / stride);
    }
    sum.add(call.real(0, {call.at(0), call.at(1) * taps + index_of(tap, kernel), index_of(column, columns)}));
  });
  return sum.total();
}

}  // namespace plumb::parity::element

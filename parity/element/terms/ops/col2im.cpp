#include "ir/ops/col2im.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// The elements of x that fall on the position: taps, then columns, row-major.
std::optional<Walker> walker(const ir::ops::Col2im& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand x = operands[0];
  const std::size_t axes = op.kernel_shape.size();
  const auto entry = [](const std::vector<std::int64_t>& list, std::size_t i, std::int64_t otherwise) {
    return list.empty() ? otherwise : list[i];
  };
  std::vector<std::int64_t> columns;  // positions of the window on each axis
  std::int64_t taps = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t padded = op.image_shape[i] + entry(op.pads, i, 0) + entry(op.pads, axes + i, 0);
    const std::int64_t span = (op.kernel_shape[i] - 1) * entry(op.dilations, i, 1) + 1;
    columns.push_back((padded - span) / entry(op.strides, i, 1) + 1);
    taps *= op.kernel_shape[i];
  }
  return [=](std::int64_t index, ElementSum& sum) {
    const std::vector<std::int64_t> at = position_of(index, y);
    std::vector<std::int64_t> tap(axes, 0);
    std::int64_t number = 0;
    do {
      bool falls_here = true;
      std::int64_t column = 0;
      for (std::size_t i = 0; i < axes; ++i) {
        const std::int64_t stride = entry(op.strides, i, 1);
        const std::int64_t begin = at[2 + i] + entry(op.pads, i, 0) - tap[i] * entry(op.dilations, i, 1);
        falls_here &= begin >= 0 && begin % stride == 0 && begin / stride < columns[i];
        column = column * columns[i] + begin / stride;
      }
      const std::int64_t row = (at[0] * x.shape[1] + at[1] * taps + number++) * x.shape[2];
      if (falls_here) sum.add(x.values[static_cast<std::size_t>(row + column)]);
    } while (step(tap, op.kernel_shape));
  };
}

}  // namespace plumb::parity::element::terms

// The terms of an element of sum and average pooling: taps inside the image, and what an average is divided by.
#include "ir/ops/pool.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {
namespace {

std::int64_t entry_of(const std::vector<std::int64_t>& list, std::size_t i, std::int64_t otherwise) {
  return list.empty() ? otherwise : list[i];
}

}  // namespace

/// The taps inside the image. An average is divided by as many as count.
std::optional<Walker> walker(const ir::ops::Pool& op, std::span<const Operand> operands, const ir::Shape& y) {
  using F = ir::ops::PoolFunction;
  if (op.function != F::sum && op.function != F::average) return std::nullopt;
  const Operand x = operands[0];
  const std::size_t axes = op.kernel_shape.size();
  return [=](std::int64_t index, ElementSum& sum) {
    const std::vector<std::int64_t> at = position_of(index, y);
    std::vector<std::int64_t> tap(axes, 0), in_x(at.begin(), at.begin() + 2);
    in_x.resize(2 + axes);
    double counted = 0;
    do {
      bool is_inside = true, is_padded = true;
      for (std::size_t i = 0; i < axes; ++i) {
        const std::int64_t extent = x.shape[2 + i];
        const std::int64_t place =
            at[2 + i] * entry_of(op.strides, i, 1) - entry_of(op.pads, i, 0) + tap[i] * entry_of(op.dilations, i, 1);
        is_inside &= place >= 0 && place < extent;
        is_padded &= place < extent + entry_of(op.pads, axes + i, 0);
        in_x[2 + i] = place;
      }
      if (is_inside) sum.add(x.values[static_cast<std::size_t>(index_of(in_x, x.shape))]);
      counted += op.count_include_pad ? is_padded : is_inside;
    } while (step(tap, op.kernel_shape));
    if (op.function == F::average && counted > 0) sum.divisor = counted;
  };
}

}  // namespace plumb::parity::element::terms

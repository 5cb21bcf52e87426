#include "ir/ops/overlap_add.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// The samples of all windows that fall on the element, window after window.
std::optional<Walker> walker(const ir::ops::OverlapAdd& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand x = operands[0];
  const std::int64_t length = y.back(), size = x.shape.back(), windows = x.shape[x.shape.size() - 2];
  return [=, hop = op.hop](std::int64_t index, ElementSum& sum) {
    const std::int64_t line = index / length, at = index % length;
    for (std::int64_t f = 0; f < windows; ++f) {
      const std::int64_t i = at - f * hop;
      if (i < 0) break;
      if (i < size) sum.add(x.values[static_cast<std::size_t>((line * windows + f) * size + i)]);
    }
  };
}

}  // namespace plumb::parity::element::terms

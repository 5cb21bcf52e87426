#include "ir/ops/rope.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// Two terms of a coordinate that is rotated, one of the others.
std::optional<Walker> walker(const ir::ops::Rope& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand x = operands[0], cosines = operands[1], sines = operands[2];
  const Operand positions = op.has_positions ? operands[3] : Operand{};
  const bool heads_first = op.layout == ir::ops::RopeLayout::bhsd;
  const std::int64_t rotated = op.rotary_dim == 0 ? y[3] : op.rotary_dim, half = rotated / 2;
  return [=](std::int64_t index, ElementSum& sum) {
    const std::vector<std::int64_t> at = position_of(index, y);
    const std::int64_t token = at[heads_first ? 2 : 1], length = y[heads_first ? 2 : 1], d = at[3];
    if (d >= rotated) return sum.add(x.values[static_cast<std::size_t>(index)]);
    const std::int64_t pair = op.interleaved ? d / 2 : d % half;
    const bool is_first = op.interleaved ? d % 2 == 0 : d < half;
    std::int64_t row = op.offset + token;
    if (op.has_positions) {
      const std::int64_t place = positions.shape.size() == 1 ? token : at[0] * length + token;
      row = static_cast<std::int64_t>(positions.values[static_cast<std::size_t>(place)]);
    } else if (cosines.shape.size() == 3) {
      row = at[0] * length + token;
    }
    const auto in_table = static_cast<std::size_t>(row * half + pair);
    const double sine = (op.inverse ? -1 : 1) * sines.values[in_table];
    const std::int64_t distance = op.interleaved ? 1 : half;
    const auto other = static_cast<std::size_t>(is_first ? index + distance : index - distance);
    sum.add(x.values[static_cast<std::size_t>(index)], cosines.values[in_table]);
    sum.add(x.values[other], is_first ? -sine : sine);
  };
}

}  // namespace plumb::parity::element::terms

// The terms of an element of a product whose rows have matrices of their own: a row times a column of its expert's
// matrix; none of a row without one. Written by hand: products are settled by the million.
// Optimised: it loops over elements or terms.
#include "ir/ops/grouped_matmul.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

std::optional<Walker> walker(const ir::ops::GroupedMatmul& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand x = operands[0], w = operands[1], experts = operands[2], bias = operands[op.has_bias ? 3 : 0];
  return [=, transposed = op.transpose_w, has_bias = op.has_bias](std::int64_t index, ElementSum& sum) {
    const std::int64_t n = y[1], terms = x.shape[1], row = index / n, column = index % n;
    const double expert = experts.values[static_cast<std::size_t>(row)];
    if (expert < 0) return;
    const auto matrix = static_cast<std::int64_t>(expert);
    const std::int64_t first = matrix * terms * n + (transposed ? column * terms : column), step = transposed ? 1 : n;
    const auto left = x.values.subspan(static_cast<std::size_t>(row * terms));
    sum.terms.reserve(static_cast<std::size_t>(terms));
    for (std::int64_t k = 0; k < terms; ++k)
      sum.add(left[static_cast<std::size_t>(k)], w.values[static_cast<std::size_t>(first + k * step)]);
    if (has_bias) sum.added.push_back({bias.values[static_cast<std::size_t>(matrix * n + column)]});
  };
}

}  // namespace plumb::parity::element::terms

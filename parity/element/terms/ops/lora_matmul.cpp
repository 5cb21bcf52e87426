// The terms of an element of a product with a low-rank correction: a row times a column, then those of the correction,
// of which one factor is a sum of its own. Written by hand: products are settled by the million.
// Optimised: it loops over elements or terms.
#include "ir/ops/lora_matmul.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

std::optional<Walker> walker(const ir::ops::LoraMatmul& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand x = operands[0], w = operands[1], a = operands[2], b = operands[3];
  const std::int64_t n = y[y.size() - 1], terms = w.shape[0], rank = a.shape[1];
  return [=, scale = op.scale](std::int64_t index, ElementSum& sum) {
    const std::int64_t row = index / n, column = index % n;
    const std::span<const double> line =
        x.values.subspan(static_cast<std::size_t>(row * terms), static_cast<std::size_t>(terms));
    const auto take = [&](ElementSum& to, const Operand& matrix, std::int64_t width, std::int64_t place) {
      double total = 0;
      for (std::size_t k = 0; k < line.size(); ++k) {
        const double factor = matrix.values[k * static_cast<std::size_t>(width) + static_cast<std::size_t>(place)];
        to.add(line[k], factor);
        total += line[k] * factor;
      }
      return total;
    };
    sum.terms.reserve(static_cast<std::size_t>(terms + rank));
    take(sum, w, n, column);
    sum.is_rounded = rank > 0;
    for (std::int64_t j = 0; j < rank; ++j) {
      ElementSum inner;
      const double of_b = b.values[static_cast<std::size_t>(j * n + column)], total = take(inner, a, rank, j);
      sum.add(scale * total, of_b);
      sum.inner.push_back(std::move(inner));
      sum.inner_factors.push_back(scale * of_b);
    }
  };
}

}  // namespace plumb::parity::element::terms

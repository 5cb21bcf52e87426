// The terms of an element of ONNX's Gemm: a row times a column, scaled by alpha, beta c behind. Written by hand:
// products are settled by the million.
// Optimised: it loops over elements or terms.
#include "ir/ops/gemm.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

std::optional<Walker> walker(const ir::ops::Gemm& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand a = operands[0], b = operands[1], c = operands.size() > 2 ? operands[2] : Operand{};
  return [=](std::int64_t index, ElementSum& sum) {
    const std::int64_t m = y[0], n = y[1], row = index / n, column = index % n;
    const std::int64_t k = a.shape[op.transpose_a ? 0 : 1];
    sum.terms.reserve(static_cast<std::size_t>(k));
    for (std::int64_t i = 0; i < k; ++i)
      sum.add(a.values[static_cast<std::size_t>(op.transpose_a ? i * m + row : row * k + i)],
              b.values[static_cast<std::size_t>(op.transpose_b ? column * k + i : i * n + column)]);
    sum.scale = op.alpha;
    if (c.values.empty()) return;
    // c is broadcast to [M, N].
    const std::int64_t columns = c.shape.empty() ? 1 : c.shape[c.shape.size() - 1];
    const std::int64_t rows = c.shape.size() < 2 ? 1 : c.shape[0];
    const std::int64_t of_c = (rows == 1 ? 0 : row * columns) + (columns == 1 ? 0 : column);
    sum.added.push_back({op.beta, c.values[static_cast<std::size_t>(of_c)]});
  };
}

}  // namespace plumb::parity::element::terms

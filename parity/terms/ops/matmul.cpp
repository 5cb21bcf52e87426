#include "ir/ops/matmul.hpp"

#include "parity/terms/terms.hpp"

namespace plumb::parity::terms {
namespace {

/// Where the matrix of an operand begins that serves a position of the result: extents of 1 serve all.
std::int64_t matrix_at(std::span<const std::int64_t> position, const ir::Shape& operand) {
  const std::size_t batch = operand.size() - 2, skipped = position.size() - operand.size();
  std::int64_t matrix = 0;
  for (std::size_t axis = 0; axis < batch; ++axis)
    matrix = matrix * operand[axis] + (operand[axis] == 1 ? 0 : position[skipped + axis]);
  return matrix * operand[batch] * operand[batch + 1];
}

}  // namespace

std::optional<Walker> walker(const ir::ops::Matmul& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand a = operands[0], b = operands[1];
  return [=](std::int64_t index, ElementSum& sum) {
    const std::vector<std::int64_t> at = position_of(index, y);
    const std::size_t rank_a = a.shape.size(), rank_b = b.shape.size();
    const std::int64_t m = a.shape[rank_a - (op.transpose_a ? 1 : 2)], k = a.shape[rank_a - (op.transpose_a ? 2 : 1)];
    const std::int64_t n = b.shape[rank_b - (op.transpose_b ? 2 : 1)];
    const std::int64_t row = at[at.size() - 2], column = at[at.size() - 1];
    const std::int64_t of_a = matrix_at(at, a.shape), of_b = matrix_at(at, b.shape);
    const std::int64_t step_a = op.transpose_a ? m : 1, step_b = op.transpose_b ? 1 : n;
    const std::int64_t from_a = of_a + (op.transpose_a ? row : row * k);
    const std::int64_t from_b = of_b + (op.transpose_b ? column * k : column);
    sum.terms.resize(static_cast<std::size_t>(k));
    for (std::int64_t i = 0; i < k; ++i)
      sum.terms[static_cast<std::size_t>(i)] = {a.values[static_cast<std::size_t>(from_a + i * step_a)],
                                                b.values[static_cast<std::size_t>(from_b + i * step_b)]};
  };
}

}  // namespace plumb::parity::terms

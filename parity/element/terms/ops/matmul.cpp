// The terms of an element of a product, or of neighbours side by side. Written by hand: products are settled by the
// million.
// Optimised: it loops over elements or terms.
#include "ir/ops/matmul.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {
namespace {

/// Where the matrix of an operand begins that serves a position of the result: extents of 1 serve all.
std::int64_t matrix_at(std::span<const std::int64_t> position, const ir::Shape& operand) {
  const std::size_t batch = operand.size() - 2, skipped = position.size() - operand.size();
  std::int64_t matrix = 0;
  for (std::size_t axis = 0; axis < batch; ++axis)
    matrix = matrix * operand[axis] + (operand[axis] == 1 ? 0 : position[skipped + axis]);
  return matrix * operand[batch] * operand[batch + 1];
}

/// Where the factors of one element's terms are.
struct Factors {
  std::int64_t count, from_a, step_a, from_b, step_b;
  std::int64_t across_b;  ///< from those of one column to those of the next
  std::int64_t columns_left;
};

Factors factors_of(const ir::ops::Matmul& op, std::span<const std::int64_t> at, const ir::Shape& a,
                   const ir::Shape& b) {
  const std::int64_t m = a[a.size() - (op.transpose_a ? 1 : 2)], k = a[a.size() - (op.transpose_a ? 2 : 1)];
  const std::int64_t n = b[b.size() - (op.transpose_b ? 2 : 1)];
  const std::int64_t row = at[at.size() - 2], column = at[at.size() - 1];
  return {k,
          matrix_at(at, a) + (op.transpose_a ? row : row * k),
          op.transpose_a ? m : 1,
          matrix_at(at, b) + (op.transpose_b ? column * k : column),
          op.transpose_b ? 1 : n,
          op.transpose_b ? k : 1,
          n - column};
}

}  // namespace

std::optional<Walker> walker(const ir::ops::Matmul& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand a = operands[0], b = operands[1];
  const auto of_element = [=](std::int64_t index, ElementSum& sum) {
    const Factors of = factors_of(op, position_of(index, y), a.shape, b.shape);
    sum.terms.resize(static_cast<std::size_t>(of.count));
    if (of.count == 0) return;
    const double *const left = a.values.data() + of.from_a, *const right = b.values.data() + of.from_b;
    Product* const terms = sum.terms.data();
    for (std::int64_t i = 0; i < of.count; ++i) terms[i] = {left[i * of.step_a], right[i * of.step_b]};
  };
  const auto of_neighbours = [=](std::int64_t first, Neighbours& found) {
    constexpr auto abreast = static_cast<std::int64_t>(Neighbours::count);
    const Factors of = factors_of(op, position_of(first, y), a.shape, b.shape);
    if (of.columns_left < abreast || of.count == 0) return false;
    found.row.resize(static_cast<std::size_t>(of.count));
    found.columns.resize(static_cast<std::size_t>(of.count * abreast));
    const double *const left = a.values.data() + of.from_a, *const right = b.values.data() + of.from_b;
    for (std::int64_t i = 0; i < of.count; ++i) {
      found.row[static_cast<std::size_t>(i)] = left[i * of.step_a];
      double* const columns = found.columns.data() + i * abreast;
      for (std::int64_t l = 0; l < abreast; ++l) columns[l] = right[i * of.step_b + l * of.across_b];
    }
    return true;
  };
  return Walker(of_element, of_neighbours);
}

}  // namespace plumb::parity::element::terms

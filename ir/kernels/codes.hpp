// Shapes of products of codes, and of the scales and zero points that belong to them.
#pragma once

#include <optional>

#include "ir/op.hpp"

namespace plumb::ir::kernels {

/// The dtypes of codes that products multiply.
inline constexpr DTypes codes = DType::u8 | DType::i8;

/// The lines of a matrix that have a scale or zero point each, where it has several.
enum class MatrixLines { rows, columns };

/// A scale or zero point of matrices: of all, [] or [1]; of each row, [M] or what broadcasts to [.., M, 1]; of each
/// column, [N] or what broadcasts to [.., 1, N]. Returns the shape as which it broadcasts to the matrices, nothing
/// where it fits none of these.
inline std::optional<Shape> shape_over_lines(const Shape& parameter, const Shape& matrices, MatrixLines lines) {
  if (parameter.rank() == 0) return parameter;
  Shape one_each = matrices;  // one element a line
  one_each[one_each.size() - (lines == MatrixLines::rows ? 1 : 2)] = 1;
  Shape read = parameter;
  if (lines == MatrixLines::rows && read.rank() == 1 && read[0] != 1) read.push_back(1);
  if (!broadcasts_to(read, one_each)) return {};
  return read;
}

/// The shape of a product, [batch.., M, N]; nothing where ranks are below 2, inner extents differ or batch axes do not
/// broadcast.
inline std::optional<Shape> shape_of_product(const Shape& a, const Shape& b) {
  if (a.rank() < 2 || b.rank() < 2 || a.back() != b[b.size() - 2]) return {};
  const Shape batch_a = a.leading(a.size() - 2), batch_b = b.leading(b.size() - 2);
  if (!broadcastable(batch_a, batch_b)) return {};
  Shape y = broadcast(batch_a, batch_b);
  y.push_back(a[a.size() - 2]);
  y.push_back(b.back());
  return y;
}

/// A scale or zero point of filters: one for all, [] or [1], or one for each of `filters`.
inline bool is_of_filters(const Shape& parameter, std::int64_t filters) {
  return parameter.rank() == 0 || parameter == Shape{1} || parameter == Shape{filters};
}

/// One of all elements.
inline bool is_of_all(const Shape& parameter) { return parameter.rank() == 0 || parameter == Shape{1}; }

/// The work of a product of matrices a that gives y.
inline Cost cost_of_product(const Shape& a, const Shape& y) {
  return {2.0 * static_cast<double>(a.back()) * static_cast<double>(y.elements()), a.back()};
}

}  // namespace plumb::ir::kernels

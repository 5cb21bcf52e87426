#pragma once

#include <cstdint>
#include <type_traits>

#include "ref_cpu/function_ref.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::gemm {

/// A matrix in somebody else's memory: element (i, j) is
/// data[i * row_stride + j * column_stride], and one of the strides is 1.
template <class T>
struct Matrix {
  T* data = nullptr;
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_stride = 0, column_stride = 1;

  Matrix transposed() const { return {data, columns, rows, column_stride, row_stride}; }
  Matrix block(std::int64_t row, std::int64_t column, std::int64_t row_count, std::int64_t column_count) const {
    return {data + row * row_stride + column * column_stride, row_count, column_count, row_stride, column_stride};
  }
  Matrix<const T> as_const() const { return {data, rows, columns, row_stride, column_stride}; }
};

/// A dense row-major matrix.
template <class T>
Matrix<T> row_major(T* data, std::int64_t rows, std::int64_t columns) {
  return {data, rows, columns, columns, 1};
}

/// y = a b on the calling thread, of float in the order that multiply_floats says, of
/// others in one that depends on the shapes only. y is overwritten, its rows are
/// contiguous, and it overlaps neither a nor b. T is float, double, uint32_t or
/// uint64_t; the integers wrap.
template <class T>
void multiply(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& y);

/// y += a b, of float or double.
template <class T>
void multiply_onto(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& y);

/// y = finish(a b), where finish(sum, row, column) gives an element of y from its sum: in
/// place when y holds what is summed, else rounded on the way from a scratch panel.
template <class T, class Out, class Finish>
void multiply(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<Out>& y, const Finish& finish) {
  ScratchRoom<T> scratch;
  Matrix<T> sums;
  if constexpr (std::is_same_v<T, Out>) {
    sums = y;
  } else {
    scratch.resize(static_cast<std::size_t>(y.rows * y.columns));
    sums = row_major(scratch.data(), y.rows, y.columns);
  }
  multiply(a, b, sums);
  for (std::int64_t r = 0; r < y.rows; ++r)
    for (std::int64_t c = 0; c < y.columns; ++c)
      y.data[r * y.row_stride + c] = static_cast<Out>(finish(sums.data[r * sums.row_stride + c], r, c));
}

/// A rectangle of one of the products of a batch.
struct Panel {
  std::int64_t batch = 0, row = 0, column = 0, rows = 0, columns = 0;
};

/// Calls body for panels that cover `batch` products of m x k by k x n, in parallel.
/// How they are cut depends on the numbers given only, never on the threads.
void for_each_panel(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
                    FunctionRef<void(const Panel&)> body);

}  // namespace plumb::ref_cpu::gemm

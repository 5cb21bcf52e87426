// Products of whole matrices as a profile says that a device adds them.
#include <algorithm>

#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "parity/core/parallel.hpp"
#include "parity/profile/emulator.hpp"

namespace plumb::parity::profile {
namespace {

using Floats = std::vector<float>;

/// A matrix in memory, read as lines of `terms` numbers: rows of a, columns of b.
struct Matrix {
  std::span<const float> numbers;
  std::int64_t lines, terms;
  bool is_by_lines;  ///< the numbers of a line are neighbours
};

Floats lines_of(const Matrix& matrix) {
  Floats lines(matrix.numbers.size());
  for (std::int64_t line = 0; line < matrix.lines; ++line)
    for (std::int64_t k = 0; k < matrix.terms; ++k) {
      const auto from = matrix.is_by_lines ? line * matrix.terms + k : k * matrix.lines + line;
      lines[static_cast<std::size_t>(line * matrix.terms + k)] = matrix.numbers[static_cast<std::size_t>(from)];
    }
  return lines;
}

std::span<const float> line_of(const Floats& lines, std::int64_t line, std::int64_t terms) {
  return std::span(lines).subspan(static_cast<std::size_t>(line * terms), static_cast<std::size_t>(terms));
}

/// Rows [first, last) of a by all columns of b, as many columns at once as the emulator makes sums.
class Strip {
 public:
  Strip(const ProductEmulator& emulator, const Floats& rows, std::int64_t first, std::int64_t last, std::int64_t terms)
      : emulator_(emulator), rows_(rows), first_(first), last_(last), terms_(terms) {
    for (std::int64_t m = first; m < last; ++m) {
      const std::span<const float> row = line_of(rows, m, terms);
      prepared_.push_back(emulator.prepared({&row, 1}, false));
    }
  }

  /// y: what the rows of all begin with, `width` numbers each.
  void multiply(const Floats& columns, std::int64_t column, std::int64_t width, std::span<float> y) const {
    const std::int64_t count = std::min<std::int64_t>(width - column, ProductEmulator::at_once);
    std::vector<std::span<const float>> met;
    for (std::int64_t n = 0; n < count; ++n) met.push_back(line_of(columns, column + n, terms_));
    const ProductEmulator::Prepared prepared = emulator_.prepared(met, true);
    ProductEmulator::Sums sums;
    for (std::int64_t m = first_; m < last_; ++m) {
      emulator_.dots(prepared_[static_cast<std::size_t>(m - first_)], prepared, sums);
      for (std::size_t n = 0; n < met.size(); ++n)
        y[static_cast<std::size_t>(m * width + column) + n] =
            sums.overflowed[n] ? emulator_.dot(line_of(rows_, m, terms_), met[n]) : sums.sums[n];
    }
  }

 private:
  const ProductEmulator& emulator_;
  const Floats& rows_;
  const std::int64_t first_, last_, terms_;
  std::vector<ProductEmulator::Prepared> prepared_;
};

/// y[m, n] = the sum over k of row m of a and column n of b.
void multiply(const ProductEmulator& emulator, const Matrix& a, const Matrix& b, std::span<float> y) {
  constexpr std::int64_t rows_at_once = 128;  // which stay in a cache while the columns pass by
  const Floats rows = lines_of(a), columns = lines_of(b);
  const auto in_parallel = [](std::int64_t count, const auto& work) {
    const auto pieces = static_cast<std::size_t>(count);
    core::for_each_piece(pieces, core::workers_for(pieces),
                         [&](std::size_t piece, std::size_t) { work(static_cast<std::int64_t>(piece)); });
  };
  if (!emulator.makes_many())
    return in_parallel(a.lines, [&](std::int64_t m) {
      for (std::int64_t n = 0; n < b.lines; ++n)
        y[static_cast<std::size_t>(m * b.lines + n)] =
            emulator.dot(line_of(rows, m, a.terms), line_of(columns, n, a.terms));
    });
  constexpr auto width = static_cast<std::int64_t>(ProductEmulator::at_once);
  for (std::int64_t m = 0; m < a.lines; m += rows_at_once) {
    const Strip strip(emulator, rows, m, std::min(m + rows_at_once, a.lines), a.terms);
    in_parallel((b.lines + width - 1) / width,
                [&](std::int64_t block) { strip.multiply(columns, block * width, b.lines, y); });
  }
}

ir::Tensor matmul(const ir::ops::Matmul& op, std::span<const ir::TensorView> inputs, const ir::Shape& y,
                  const ProductEmulator& emulator) {
  const ir::Tensor a = ir::convert(inputs[0], ir::DType::f32), b = ir::convert(inputs[1], ir::DType::f32);
  ir::Tensor result({ir::DType::f32, y});
  const ir::Shape batch = y.leading(y.size() - 2);
  const std::int64_t m = y[y.size() - 2], n = y[y.size() - 1];
  const std::int64_t k = a.shape()[a.shape().size() - (op.transpose_a ? 2 : 1)];
  const auto strides = [&](const ir::Shape& shape) {
    return ir::broadcast_strides(shape.leading(shape.size() - 2), batch);
  };
  const auto a_strides = strides(a.shape()), b_strides = strides(b.shape()), y_strides = batch.strides();
  for (std::int64_t i = 0; i < batch.elements(); ++i) {
    std::int64_t at_a = 0, at_b = 0;
    for (std::size_t axis = 0; axis < batch.size(); ++axis) {
      const std::int64_t j = i / y_strides[axis] % batch[axis];
      at_a += j * a_strides[axis], at_b += j * b_strides[axis];
    }
    const auto matrix = [](auto numbers, std::int64_t at, std::int64_t size) {
      return numbers.subspan(static_cast<std::size_t>(at * size), static_cast<std::size_t>(size));
    };
    multiply(emulator, {matrix(a.as<float>(), at_a, m * k), m, k, !op.transpose_a},
             {matrix(b.as<float>(), at_b, k * n), n, k, op.transpose_b}, matrix(result.as<float>(), i, m * n));
  }
  return result;
}

ir::Tensor gemm(const ir::ops::Gemm& op, std::span<const ir::TensorView> inputs, const ir::Shape& y,
                const ProductEmulator& emulator) {
  const ir::ops::Matmul product{.transpose_a = op.transpose_a, .transpose_b = op.transpose_b, .output_dtype = {}};
  ir::Tensor result = matmul(product, inputs, y, emulator);
  const std::span<float> sums = result.as<float>();
  if (op.alpha != 1)
    for (float& sum : sums) sum *= static_cast<float>(op.alpha);
  if (!op.has_c) return result;
  const ir::Tensor c = ir::convert(inputs[2], ir::DType::f32);
  const auto strides = ir::broadcast_strides(c.shape(), y);
  for (std::int64_t i = 0; i < result.elements(); ++i) {
    const auto from = static_cast<std::size_t>(i / y[1] * strides[0] + i % y[1] * strides[1]);
    sums[static_cast<std::size_t>(i)] += static_cast<float>(op.beta) * c.as<float>()[from];
  }
  return result;
}

}  // namespace

bool is_product(const ir::Op& op) { return op.is<ir::ops::Matmul>() || op.is<ir::ops::Gemm>(); }

std::optional<ir::Tensor> emulate(const ir::Op& op, std::span<const ir::TensorView> inputs, const ir::TensorType& out,
                                  const Products& products, const Levels& levels) {
  if (!is_product(op) || !ir::is_float(inputs[0].dtype()) || inputs[0].dtype() == ir::DType::f64) return std::nullopt;
  const ProductEmulator emulator(products, levels);
  const ir::Tensor sums = op.is<ir::ops::Matmul>() ? matmul(op.as<ir::ops::Matmul>(), inputs, out.shape, emulator)
                                                   : gemm(op.as<ir::ops::Gemm>(), inputs, out.shape, emulator);
  return ir::convert(sums, out.dtype);
}

}  // namespace plumb::parity::profile

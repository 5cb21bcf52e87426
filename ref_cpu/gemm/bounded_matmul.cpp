// Limits need few digits: the sums of magnitudes and of squares are made in f32, twice as fast as in f64.
//
// Each row of a and column of b is scaled by a power of two that brings its largest number into [1/2, 1), so that no
// square and no sum overflows. With u = 2^-24 a sum of n numbers that are not negative, each the rounded product of
// two rounded numbers, is off by (1 + u)^(n + 2) at most, in any order; a sum of n / `chunk` sums of `chunk` by
// (1 + u)^(chunk + n / chunk + 2) (Higham, section 4.2). `certain` is made larger by that, squares stay as they are.
//
// Terms below 2^-149 are lost: K·2^-148 of Σ|a||b| at most, and as much of Σa²b². That is less than 2^-40 of the
// first where it is 2^-30 or more and K below 2^60; and of the second, which is at least its square over K, where K is
// below 2^20. Where one element of a panel is smaller, or an operand is NaN, infinite or beyond 2^250, the panel is
// made in f64.

#include "ref_cpu/gemm/bounded_matmul.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "ref_cpu/gemm/gemm.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::gemm {
namespace {

constexpr std::int64_t chunk = 256;
constexpr double least_sum = 0x1p-30;
constexpr int largest_exponent = 250;

/// The magnitude that counts in sums of magnitudes and squares: `least` at least, but for zeros.
double counted_magnitude(double x, double least) {
  const double magnitude = std::fabs(x), larger = magnitude < least ? least : magnitude;
  return magnitude == 0 ? 0 : larger;
}

/// Asks for a row of a panel before it is read: rows of a wide matrix lie too far apart for the processor to guess.
void fetch(const double* row, std::int64_t count) {
  constexpr std::int64_t line = 8;
  for (std::int64_t i = 0; i < count; i += line) __builtin_prefetch(row + i);
}
constexpr std::int64_t rows_ahead = 8;

/// The largest magnitude of a row of a or a column of b, and whether all of it is finite.
struct Line {
  double largest = 0;
  double nan = 0;  ///< NaN where a number is infinite or NaN, else 0

  /// The line's numbers, `step` apart. NaN is passed over by `largest`, so that any order gives the same.
  static Line of(const double* x, std::int64_t count, std::int64_t step) {
    constexpr std::int64_t lanes = 16;
    double most[lanes] = {}, nans[lanes] = {};
    const auto see = [&](std::int64_t lane, double number) {
      const double magnitude = std::fabs(number);
      most[lane] = most[lane] < magnitude ? magnitude : most[lane];
      nans[lane] += number - number;
    };
    std::int64_t i = 0;
    if (step == 1)
      for (; i + lanes <= count; i += lanes)
        for (std::int64_t lane = 0; lane < lanes; ++lane) see(lane, x[i + lane]);
    for (; i < count; ++i) see(0, x[i * step]);
    Line line;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      line.largest = line.largest < most[lane] ? most[lane] : line.largest;
      line.nan += nans[lane];
    }
    return line;
  }
  /// The exponent of the largest magnitude, which counts as `least` at least.
  int exponent(double least) const {
    int found = 0;
    std::frexp(counted_magnitude(largest, least), &found);
    return found;
  }
  /// Whether f32 serves for it, scaled.
  bool is_scalable(double least) const { return nan == 0 && std::abs(exponent(least)) <= largest_exponent; }
};

/// Magnitudes and squares of numbers, scaled by a power of two.
template <class T>
struct Scaled {
  std::unique_ptr<T[]> magnitudes, squares;  ///< not filled

  explicit Scaled(std::int64_t count)
      : magnitudes(new T[static_cast<std::size_t>(count)]), squares(new T[static_cast<std::size_t>(count)]) {}

  /// Sets `count` numbers from the `first` on to those at x, `step` apart; scale(i) is by what the i-th is multiplied.
  template <class Scale>
  void set(std::int64_t first, const double* x, std::int64_t count, std::int64_t step, double least,
           const Scale& scale) {
    if (step == 1)
      set_by(
          first, [x](std::int64_t i) { return x[i]; }, count, least, scale);
    else
      set_by(
          first, [x, step](std::int64_t i) { return x[i * step]; }, count, least, scale);
  }

 private:
  template <class Number, class Scale>
  void set_by(std::int64_t first, const Number& number, std::int64_t count, double least, const Scale& scale) {
    T* const to_magnitudes = magnitudes.get() + first;
    T* const to_squares = squares.get() + first;
    for (std::int64_t i = 0; i < count; ++i) {
      const double scaled = counted_magnitude(number(i), least) * scale(i);
      to_magnitudes[i] = static_cast<T>(scaled);
      to_squares[i] = static_cast<T>(scaled * scaled);
    }
  }
};

/// Magnitudes and squares of terms, summed, for a panel.
template <class T>
struct Sums {
  std::vector<T> magnitudes, squares;
};

/// The rows of a, those of all its matrices one after the other.
struct Rows {
  std::vector<Line> lines;
  Scaled<float> scaled;

  Rows(const double* a, std::int64_t matrices, std::int64_t m, std::int64_t k, bool transposed, double least)
      : lines(static_cast<std::size_t>(matrices * m)), scaled(matrices * m * k) {
    const std::int64_t along = transposed ? m : 1, down = transposed ? 1 : k;
    parallel_for(matrices * m, std::max<std::int64_t>(1, (1 << 14) / (k + 1)), [&](std::int64_t i, std::int64_t end) {
      for (; i < end; ++i) {
        const double* const row = a + i / m * m * k + i % m * down;
        const Line line = Line::of(row, k, along);
        lines[static_cast<std::size_t>(i)] = line;
        const double scale = line.is_scalable(least) ? std::ldexp(1.0, -line.exponent(least)) : 0;
        scaled.set(i * k, row, k, along, least, [scale](std::int64_t) { return scale; });
      }
    });
  }
};

/// One panel of a product.
class BoundedPanel {
 public:
  using In = Matrix<const double>;
  struct Out {
    Matrix<double> y, probable, certain;
  };

  BoundedPanel(const BoundedProduct& op, const In& a, const In& b, const Out& out)
      : op_(op), a_(a), b_(b), out_(out), k_(a.columns), columns_(static_cast<std::size_t>(b.columns)) {}

  /// `rows`: of a, from `first_row` on.
  void run(const Rows& rows, std::int64_t first_row);

 private:
  std::size_t elements() const { return static_cast<std::size_t>(a_.rows * b_.columns); }
  void look_at_columns();
  bool sum_scaled(const Rows& rows, std::int64_t first_row);
  std::int64_t set_row(std::int64_t row, double of_row, std::span<const double> up, const Sums<float>& sums);
  void sum_in_f64();
  template <class T>
  void add_chunk(std::int64_t from, std::int64_t to, const Matrix<const T>& magnitudes, const Matrix<const T>& squares,
                 std::span<const double> scales, Sums<T>& sums);
  void finish();

  const BoundedProduct& op_;
  const In a_, b_;
  const Out out_;
  const std::int64_t k_;
  std::vector<Line> columns_;
  std::vector<double> magnitudes_, squares_;  ///< Σ|a||b| and Σa²b²
};

void BoundedPanel::look_at_columns() {
  if (b_.row_stride == 1) {  // each column is a stretch
    for (std::int64_t c = 0; c < b_.columns; ++c)
      columns_[static_cast<std::size_t>(c)] = Line::of(b_.data + c * b_.column_stride, k_, 1);
    return;
  }
  const std::size_t n = columns_.size();
  std::vector<double> largest(n, 0.0), nan(n, 0.0);
  for (std::int64_t k = 0; k < k_; ++k) {
    const double* const row = b_.data + k * b_.row_stride;
    if (k + rows_ahead < k_) fetch(row + rows_ahead * b_.row_stride, b_.columns);
    for (std::size_t c = 0; c < n; ++c) {
      const double magnitude = std::fabs(row[c]);
      largest[c] = largest[c] < magnitude ? magnitude : largest[c];
      nan[c] += row[c] - row[c];
    }
  }
  for (std::size_t c = 0; c < n; ++c) columns_[c] = {largest[c], nan[c]};
}

/// Adds the sums of terms [from, to) of which a's side is given.
template <class T>
void BoundedPanel::add_chunk(std::int64_t from, std::int64_t to, const Matrix<const T>& magnitudes,
                             const Matrix<const T>& squares, std::span<const double> scales, Sums<T>& sums) {
  const std::int64_t depth = to - from, n = b_.columns;
  const bool stretches = b_.row_stride == 1;  // whether each column of b is contiguous
  Scaled<T> right(depth * n);
  const double* const first = b_.data + from * b_.row_stride;
  if (stretches)
    for (std::int64_t c = 0; c < n; ++c)
      right.set(c * depth, first + c * b_.column_stride, depth, 1, op_.least,
                [scale = scales[static_cast<std::size_t>(c)]](std::int64_t) { return scale; });
  else
    for (std::int64_t k = 0; k < depth; ++k) {
      const double* const row = first + k * b_.row_stride;
      if (from + k + rows_ahead < k_) fetch(row + rows_ahead * b_.row_stride, n);
      right.set(k * n, row, n, b_.column_stride, op_.least, [of = scales.data()](std::int64_t c) { return of[c]; });
    }
  const auto matrix = [&](const std::unique_ptr<T[]>& values) {
    const T* const all = values.get();
    return stretches ? row_major(all, n, depth).transposed() : row_major(all, depth, n);
  };
  multiply_onto(magnitudes, matrix(right.magnitudes), row_major(sums.magnitudes.data(), a_.rows, n));
  multiply_onto(squares, matrix(right.squares), row_major(sums.squares.data(), a_.rows, n));
}

/// False where f32 has not the range.
bool BoundedPanel::sum_scaled(const Rows& rows, std::int64_t first_row) {
  const auto scalable = [&](const Line& line) { return line.is_scalable(op_.least); };
  const std::span<const Line> lines(rows.lines.data() + first_row, static_cast<std::size_t>(a_.rows));
  if (!std::ranges::all_of(lines, scalable) || !std::ranges::all_of(columns_, scalable)) return false;
  std::vector<double> down, up;
  for (const Line& column : columns_) {
    down.push_back(std::ldexp(1.0, -column.exponent(op_.least)));
    up.push_back(column.largest > 0 ? std::ldexp(1.0, column.exponent(op_.least)) : 0);
  }
  Sums<float> sums{std::vector<float>(elements(), 0.0f), std::vector<float>(elements(), 0.0f)};
  const auto left = [&](const std::unique_ptr<float[]>& values, std::int64_t from, std::int64_t depth) {
    const float* const all = values.get();
    return row_major(all + first_row * k_, a_.rows, k_).block(0, from, a_.rows, depth);
  };
  for (std::int64_t from = 0; from < k_; from += chunk) {
    const std::int64_t to = std::min(from + chunk, k_);
    add_chunk<float>(from, to, left(rows.scaled.magnitudes, from, to - from),
                     left(rows.scaled.squares, from, to - from), down, sums);
  }
  magnitudes_.resize(elements());
  squares_.resize(elements());
  std::size_t too_small = 0;
  for (std::int64_t r = 0; r < a_.rows; ++r) {
    const Line& line = lines[static_cast<std::size_t>(r)];
    if (line.largest == 0) continue;  // zeros
    too_small += set_row(r, std::ldexp(1.0, line.exponent(op_.least)), up, sums);
  }
  return too_small == 0;
}

/// Makes a row of Σ|a||b| and Σa²b² from sums of numbers that were scaled, whose row is `of_row` times as large and
/// columns `up` times; how many are too small for f32.
std::int64_t BoundedPanel::set_row(std::int64_t row, double of_row, std::span<const double> up,
                                   const Sums<float>& sums) {
  const double more = 1 + (chunk + 4 + static_cast<double>(k_ / chunk)) * 0x1.01p-24;
  const std::int64_t first = row * b_.columns;
  const float *const sizes = sums.magnitudes.data() + first, *const squares = sums.squares.data() + first;
  double *const to_sizes = magnitudes_.data() + first, *const to_squares = squares_.data() + first;
  std::int64_t too_small = 0;
  for (std::int64_t c = 0; c < b_.columns; ++c) {
    const double scale = of_row * up[static_cast<std::size_t>(c)], size = static_cast<double>(sizes[c]);
    too_small += static_cast<std::int64_t>(size < least_sum) & static_cast<std::int64_t>(scale > 0);
    to_sizes[c] = more * size * scale;
    to_squares[c] = static_cast<double>(squares[c]) * (scale * scale);
  }
  return too_small;
}

void BoundedPanel::sum_in_f64() {
  const std::vector<double> as_it_is(static_cast<std::size_t>(b_.columns), 1.0);
  Sums<double> sums{std::vector<double>(elements(), 0.0), std::vector<double>(elements(), 0.0)};
  for (std::int64_t from = 0; from < k_; from += chunk) {
    const std::int64_t to = std::min(from + chunk, k_), depth = to - from;
    Scaled<double> left(a_.rows * depth);
    for (std::int64_t r = 0; r < a_.rows; ++r)
      left.set(r * depth, a_.data + r * a_.row_stride + from * a_.column_stride, depth, a_.column_stride, op_.least,
               [](std::int64_t) { return 1.0; });
    const auto matrix = [&](const std::unique_ptr<double[]>& values) {
      const double* const all = values.get();
      return row_major(all, a_.rows, depth);
    };
    add_chunk<double>(from, to, matrix(left.magnitudes), matrix(left.squares), as_it_is, sums);
  }
  magnitudes_ = std::move(sums.magnitudes);
  squares_ = std::move(sums.squares);
}

void BoundedPanel::finish() {
  const auto count = static_cast<double>(k_);
  const BoundedProduct op = op_;  // which no result overlaps
  for (std::int64_t r = 0; r < a_.rows; ++r) {
    const double* const y = out_.y.data + r * out_.y.row_stride;
    const double *const sizes = magnitudes_.data() + r * b_.columns, *const terms = squares_.data() + r * b_.columns;
    double* const probable = out_.probable.data + r * out_.probable.row_stride;
    double* const certain = out_.certain.data + r * out_.certain.row_stride;
    for (std::int64_t c = 0; c < b_.columns; ++c) {
      const double rounding = op.stored * std::fabs(y[c]), spread = terms[c] - y[c] * y[c] / count;
      const double squares =
          op.of_square * (y[c] * y[c]) + op.of_spread * (spread < 0 ? 0 : spread) + op.of_terms * terms[c];
      const double most = op.certain * sizes[c], random = op.random * std::sqrt(squares);
      probable[c] = (most < random ? most : random) + rounding;
      certain[c] = most + rounding;
    }
  }
}

void BoundedPanel::run(const Rows& rows, std::int64_t first_row) {
  look_at_columns();
  multiply(a_, b_, out_.y);
  if (!sum_scaled(rows, first_row)) sum_in_f64();
  finish();
}

struct Extents {
  std::int64_t batch, m, n, k;
};

/// Which matrix of an operand each of the products has.
std::vector<std::int64_t> matrices_of(const ir::Shape& x, const ir::Shape& batch) {
  const auto strides = ir::broadcast_strides(x.leading(x.size() - 2), batch);
  std::vector<std::int64_t> found(static_cast<std::size_t>(batch.elements())), position(batch.size(), 0);
  for (auto& matrix : found) {
    for (std::size_t i = 0; i < batch.size(); ++i) matrix += position[i] * strides[i];
    for (std::size_t i = batch.size(); i-- > 0 && ++position[i] == batch[i];) position[i] = 0;
  }
  return found;
}

}  // namespace

void run(const BoundedProduct& op, Call& call) {
  const auto &a = call.in(0).shape(), &b = call.in(1).shape(), &y = call.out(0).shape();
  const ir::Shape batch = y.leading(y.size() - 2);
  Extents e{batch.elements(), y[y.size() - 2], y[y.size() - 1], a[a.size() - (op.transpose_a ? 2 : 1)]};
  auto of_a = matrices_of(a, batch), of_b = matrices_of(b, batch);
  if (!op.transpose_a && b.elements() == e.k * e.n) e = {1, e.m * e.batch, e.n, e.k};  // the rows of all by one b
  if (e.k == 0) {
    for (std::size_t k = 0; k < 3; ++k) std::ranges::fill(call.out(k).as<double>(), 0.0);
    return;
  }
  const double* const left = call.in(0).as<double>().data();
  const double* const right = call.in(1).as<double>().data();
  const Rows rows(left, a.elements() / (e.m * e.k), e.m, e.k, op.transpose_a, op.least);
  for_each_panel(e.batch, e.m, e.n, e.k, [&](const Panel& p) {
    const std::int64_t matrix_a = of_a[static_cast<std::size_t>(p.batch)], first_a = matrix_a * e.m * e.k;
    const std::int64_t first_b = of_b[static_cast<std::size_t>(p.batch)] * e.k * e.n;
    const auto whole_a =
        op.transpose_a ? row_major(left + first_a, e.k, e.m).transposed() : row_major(left + first_a, e.m, e.k);
    const auto whole_b =
        op.transpose_b ? row_major(right + first_b, e.n, e.k).transposed() : row_major(right + first_b, e.k, e.n);
    const auto target = [&](std::size_t k) {
      return row_major(call.out(k).as<double>().data() + p.batch * e.m * e.n, e.m, e.n)
          .block(p.row, p.column, p.rows, p.columns);
    };
    BoundedPanel(op, whole_a.block(p.row, 0, p.rows, e.k), whole_b.block(0, p.column, e.k, p.columns),
                 {target(0), target(1), target(2)})
        .run(rows, matrix_a * e.m + p.row);
  });
}

}  // namespace plumb::ref_cpu::gemm

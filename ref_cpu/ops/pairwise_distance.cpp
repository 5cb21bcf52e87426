// Distances pair by pair, each a sum over differences. Where squares leave the range they are summed again in units of
// the power of two below the largest difference; rows of a cosine distance are in such units from the start.
#include "ir/ops/pairwise_distance.hpp"

#include <cmath>
#include <limits>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/exponent.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

using Metric = ir::ops::DistanceMetric;

/// A row in the compute type, and for the cosine distance its norm.
template <class C>
struct Row {
  std::span<C> values;
  C norm = 0;
};

template <class C, class Item>
C sum_of_squares(std::int64_t count, const Item& item) {
  return kernels::sum(count, [&](std::int64_t k) { return item(k) * item(k); });
}

/// The root of a sum of squares. Squares that are lost below `least` are far below a roundoff of the sum.
template <class C, class Item>
C norm_of(std::int64_t count, const Item& item) {
  const C least = std::sqrt(std::numeric_limits<C>::min()), total = sum_of_squares<C>(count, item);
  if (total >= least && total <= std::numeric_limits<C>::max()) return std::sqrt(total);
  const int exponent = kernels::exponent_of_largest<C>(count, item);
  const auto in_units = [&](std::int64_t k) { return std::scalbn(item(k), -exponent); };
  return std::scalbn(std::sqrt(sum_of_squares<C>(count, in_units)), exponent);
}

/// Scales a row by a power of two, which no cosine changes, to about 1.
template <class C>
void scale(Row<C>& row) {
  const auto count = static_cast<std::int64_t>(row.values.size());
  const int exponent =
      kernels::exponent_of_largest<C>(count, [&](std::int64_t k) { return row.values[std::size_t(k)]; });
  for (C& x : row.values) x = std::scalbn(x, -exponent);
  row.norm = std::sqrt(sum_of_squares<C>(count, [&](std::int64_t k) { return row.values[std::size_t(k)]; }));
}

template <class C>
C cosine_distance(const Row<C>& x, const Row<C>& y) {
  if (std::isnan(x.norm) || std::isnan(y.norm)) return x.norm + y.norm;
  if (x.norm == 0 || y.norm == 0) return x.norm == y.norm ? C{0} : C{1};
  const C product = kernels::sum(static_cast<std::int64_t>(x.values.size()),
                                 [&](std::int64_t k) { return x.values[std::size_t(k)] * y.values[std::size_t(k)]; });
  const C distance = 1 - product / (x.norm * y.norm);
  return distance < 0 ? C{0} : distance > 2 ? C{2} : distance;  // NaN stays
}

template <class C>
C distance(Metric metric, const Row<C>& x, const Row<C>& y) {
  if (metric == Metric::cosine) return cosine_distance(x, y);
  const auto count = static_cast<std::int64_t>(x.values.size());
  const auto difference = [&](std::int64_t k) { return x.values[std::size_t(k)] - y.values[std::size_t(k)]; };
  if (metric == Metric::euclidean) return norm_of<C>(count, difference);
  if (metric == Metric::squared_euclidean) return sum_of_squares<C>(count, difference);
  return kernels::sum(count, [&](std::int64_t k) { return std::abs(difference(k)); });
}

/// The rows of a matrix in the compute type, in memory that `held` keeps.
template <class T, class C>
ScratchVector<Row<C>> rows_of(Metric metric, const ir::TensorView& matrix, ScratchVector<C>& held) {
  const std::span<const T> x = matrix.as<T>();
  held.reserve(x.size());
  for (const T value : x) held.push_back(static_cast<C>(value));
  const auto count = static_cast<std::size_t>(matrix.shape()[0]), length = static_cast<std::size_t>(matrix.shape()[1]);
  ScratchVector<Row<C>> rows;
  rows.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back({std::span(held).subspan(i * length, length)});
    if (metric == Metric::cosine) scale(rows.back());
  }
  return rows;
}

}  // namespace

void run(const ir::ops::PairwiseDistance& op, Call& call) {
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    ScratchVector<C> of_x, of_y;
    const ScratchVector<Row<C>> x = rows_of<T, C>(op.metric, call.in(0), of_x);
    const ScratchVector<Row<C>> y = op.has_y ? rows_of<T, C>(op.metric, call.in(1), of_y) : x;
    const std::span<T> out = call.out(0).as<T>();
    const std::int64_t terms = call.in(0).shape()[1] + 1, pairs = static_cast<std::int64_t>(out.size());
    parallel_for(pairs, std::max<std::int64_t>(1, 16384 / terms), [&](std::int64_t pair, std::int64_t end) {
      for (; pair < end; ++pair) {
        const auto at = static_cast<std::size_t>(pair);
        out[at] = static_cast<T>(distance(op.metric, x[at / y.size()], y[at % y.size()]));
      }
    });
  });
}

}  // namespace plumb::ref_cpu

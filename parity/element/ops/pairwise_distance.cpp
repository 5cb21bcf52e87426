// A distance of row i of x from row j of y, or of x.
#include "ir/ops/pairwise_distance.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {
namespace {

using Metric = ir::ops::DistanceMetric;

std::vector<Real> row_of(const Call& call, std::size_t operand, std::int64_t row) {
  std::vector<Real> numbers;
  for (std::int64_t k = 0; k < call.in(operand)[1]; ++k) numbers.push_back(call.real(operand, {row, k}));
  return numbers;
}

/// Σ a b in units of each line: those of `unit_of`.
Real product_in_units(const std::vector<Real>& a, const std::vector<Real>& b) {
  const Real of_a = unit_of(a), of_b = unit_of(b);
  Sum sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum.add(a[k] / of_a, b[k] / of_b);
  return sum.total();
}

Real cosine_distance(const std::vector<Real>& x, const std::vector<Real>& y) {
  const Real of_x = product_in_units(x, x), of_y = product_in_units(y, y);
  if (std::isnan(of_x.value) || std::isnan(of_y.value)) return of_x + of_y;
  if (of_x.value == 0 || of_y.value == 0) return {of_x.value == of_y.value ? 0.0L : 1.0L};
  const Real distance = Real(1) - product_in_units(x, y) / (sqrt(of_x) * sqrt(of_y));
  return minimum(maximum(distance, Real(0)), Real(2));
}

}  // namespace

Number element(const ir::ops::PairwiseDistance& op, const Call& call) {
  const std::vector<Real> x = row_of(call, 0, call.at(0)), y = row_of(call, op.has_y ? 1 : 0, call.at(1));
  if (op.metric == Metric::cosine) return cosine_distance(x, y);
  std::vector<Real> differences;
  for (std::size_t k = 0; k < x.size(); ++k) differences.push_back(x[k] - y[k]);
  if (op.metric == Metric::euclidean) {
    const Real total = product_in_units(differences, differences);
    return total.value == 0 ? total : sqrt(total) * unit_of(differences);
  }
  Sum sum;
  for (const Real t : differences)
    if (op.metric == Metric::manhattan)
      sum.add(abs(t));
    else
      sum.add(t, t);
  return sum.total();
}

}  // namespace plumb::parity::element

#pragma once

#include <cmath>
#include <map>

#include "parity/bounds/formulas.hpp"
#include "parity/element/terms/lines.hpp"
#include "parity/settle/inside_sum.hpp"
#include "parity/settle/rows.hpp"

namespace plumb::parity::settle {

/// e^(x - top) of a line and their sum, in f64, and what the kernel's own may be off. Terms that are bit for bit equal
/// err alike (verdict.md V13).
class ExponentialLine {
 public:
  ExponentialLine(const Operation& operation, const InsideSum& sum, const std::vector<std::int64_t>& elements);

  /// Whether all numbers are finite, or -∞ beside one that is.
  bool is_finite() const { return std::isfinite(top_); }
  double top() const { return top_; }
  double sum() const { return sum_; }
  /// The largest error of the exponential of x, relative to it, in units of the roundoff.
  double most(double x) const { return bounds::formulas::error_of_exponential(std::abs(x - top_)); }
  /// The share of all terms in the sum that are equal to x.
  double share(double x) const { return weights_.at(x); }
  /// √ of the variance of the sum's terms but for those equal to x, relative to the sum, in units of the roundoff.
  double others(double x) const;
  double all() const { return std::sqrt(variance_); }  ///< √ of the variance of all terms
  /// The error of the sum, relative to it: by chance, and in addition if its terms creep.
  double of_sum() const { return of_sum_; }
  double creep_of_sum() const;

  /// The share in the sum of its term of median size, the largest excepted; nothing where no other is there.
  std::optional<double> median_share() const;

  /// In f32: the largest element, and the sum in the kernel's order.
  float top_f32() const { return static_cast<float>(top_); }
  std::optional<float> replay_sum(bool fused) const;

 private:
  const InsideSum& how_;
  std::vector<double> x_;
  std::map<double, double> weights_;
  double top_, sum_ = 0, variance_ = 0, of_sum_ = 0;
  mutable std::optional<double> creep_of_sum_;             ///< made when it is first asked for: a row has one thread
  mutable std::map<bool, std::optional<float>> replayed_;  ///< likewise
  element::terms::ElementSum terms_;
};

/// The lines of an op that normalises exponentials along one axis; `Line` is made of what an ExponentialLine is made
/// of.
template <class Line>
Rows exponential_rows(const Operation& operation, std::int64_t axis) {
  const auto lines = std::make_shared<const element::terms::Lines>(operation.y, std::vector{axis});
  const auto sum = std::make_shared<const InsideSum>(operation.node, ir::SumName::row_sum, true);
  return {.number_of = [=](std::int64_t index) { return lines->line_of(index); },
          .make = [=, &operation](std::int64_t line) -> std::unique_ptr<Row> {
            return std::make_unique<Line>(operation, *sum, lines->elements(line));
          }};
}

}  // namespace plumb::parity::settle

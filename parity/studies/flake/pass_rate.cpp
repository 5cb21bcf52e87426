// Wald's test by sums of logarithms, and an exact interval by bisection of binomial tails.
#include "parity/studies/flake/pass_rate.hpp"

#include <cmath>

#include "ir/error.hpp"

namespace plumb::parity::studies::flake {
namespace {

/// The probability of at least `least` of `runs` passing, each with probability `p`: terms from the largest on, which
/// are scaled by it.
double tail(std::uint64_t least, std::uint64_t runs, double p) {
  if (least == 0) return 1;
  const auto n = static_cast<double>(runs);
  double sum = 0;
  for (std::uint64_t k = least; k <= runs; ++k) {
    const auto x = static_cast<double>(k);
    const double log_term =
        std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) + x * std::log(p) + (n - x) * std::log1p(-p);
    const double term = std::exp(log_term);
    sum += term;
    if (x > n * p && term < 1e-18 * sum) break;
  }
  return sum;
}

/// The p in [0, 1] at which a tail, which grows with p, is `wanted`.
double where_tail_is(double wanted, std::uint64_t least, std::uint64_t runs) {
  constexpr int halvings = 60;
  double low = 0, high = 1;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (tail(least, runs, middle) < wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

SequentialTest::SequentialTest(const Rates& rates)
    : of_pass_(std::log(rates.flaky / rates.stable)),
      of_failure_(std::log1p(-rates.flaky) - std::log1p(-rates.stable)),
      limit_(std::log1p(-rates.error) - std::log(rates.error)) {
  ir::require(0 < rates.flaky && rates.flaky < rates.stable && rates.stable < 1,
              "wanted 0 < p1 < p0 < 1, found p1 = ", rates.flaky, " and p0 = ", rates.stable);
  ir::require(0 < rates.error && rates.error < 0.5, "wanted an error above 0 and below 0.5, found ", rates.error);
}

void SequentialTest::add(bool passed) { ++(passed ? passed_ : failed_); }

Finding SequentialTest::finding() const {
  const double ratio = static_cast<double>(passed_) * of_pass_ + static_cast<double>(failed_) * of_failure_;
  return ratio >= limit_ ? Finding::flaky : ratio <= -limit_ ? Finding::stable : Finding::undecided;
}

Interval interval_of(std::uint64_t passed, std::uint64_t runs, double error) {
  ir::require(passed <= runs, passed, " of ", runs, " runs cannot have passed");
  Interval found;
  if (passed > 0) found.low = where_tail_is(error / 2, passed, runs);
  if (passed < runs) found.high = where_tail_is(1 - error / 2, passed + 1, runs);
  return found;
}

}  // namespace plumb::parity::studies::flake

// Wald's test by sums of logarithms.
#include "parity/studies/flake/pass_rate.hpp"

#include <cmath>

#include "ir/error.hpp"
#include "parity/core/distributions.hpp"

namespace plumb::parity::studies::flake {

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
  const auto successes = static_cast<double>(passed), trials = static_cast<double>(runs);
  if (runs == 0) return {};
  return {.low = core::lowest_success_rate(successes, trials, error / 2),
          .high = core::highest_success_rate(successes, trials, error / 2)};
}

}  // namespace plumb::parity::studies::flake

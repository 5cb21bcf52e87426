#pragma once

// How often something passes that does not always: a sequential test, and an interval.

#include <array>
#include <cstdint>
#include <string_view>

namespace plumb::parity::studies::flake {

enum class Finding { undecided, stable, flaky };

constexpr auto enum_names(Finding) { return std::array<std::string_view, 3>{"undecided", "stable", "flaky"}; }

/// The probabilities that a test tells apart.
struct Rates {
  double stable = 0.999;  ///< it passes so often at least
  double flaky = 0.99;    ///< or at most so often
  double error = 0.01;    ///< the probability of either mistake, at exactly those two
};

/// Wald's sequential test of the probability of passing (Wald, Sequential Analysis, 1947): after every run it is known
/// whether more are needed.
class SequentialTest {
 public:
  /// Throws Error unless 0 < flaky < stable < 1 and 0 < error < 0.5.
  explicit SequentialTest(const Rates& rates);

  void add(bool passed);
  Finding finding() const;

  std::uint64_t runs() const { return passed_ + failed_; }
  std::uint64_t passed() const { return passed_; }

 private:
  double of_pass_, of_failure_, limit_;  ///< logarithms of likelihood ratios, flaky over stable
  std::uint64_t passed_ = 0, failed_ = 0;
};

struct Interval {
  double low = 0, high = 1;
};

/// The interval of Clopper and Pearson for the probability of passing: for whatever probability, it is outside in at
/// most `error` of all series of runs, and at most half of that on either side.
Interval interval_of(std::uint64_t passed, std::uint64_t runs, double error = 0.05);

}  // namespace plumb::parity::studies::flake

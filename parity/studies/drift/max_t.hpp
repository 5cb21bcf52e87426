#pragma once

// Many differences tested at once, without a distribution assumed: Westfall and Young's step-down max-T.

#include <cstddef>
#include <span>
#include <vector>

namespace plumb::parity::studies::drift {

/// The outcome of one hypothesis "there is no difference", tested beside others.
struct Tested {
  double mean = 0;         ///< mean difference
  double t = 0;            ///< mean over its standard error; infinite where all differences are equal
  double degrees = 0;      ///< degrees of freedom of that standard error
  double p = 1;            ///< the probability that without any difference some hypothesis has so large a |t|
  std::size_t values = 0;  ///< that were measured
};

/// The fewest pairs of seeds that can show a difference at this probability of a false alarm: of n pairs, 2^(n-1)
/// patterns of signs are different.
std::size_t fewest_pairs(double false_alarm);

/// The least p that groups of so many values can come to.
double least_p_of_groups(std::size_t base, std::size_t now);

/// Tests that the median of each list of differences is 0; lists are of one length, a place in them being a seed, and
/// NaN is what was not measured. If nothing changed, before and after are exchangeable within a seed, so that the sign
/// of a seed means nothing: all lists' differences of a seed change sign together, and of each pattern of signs the
/// largest |t| is kept, so that differences of one seed count once however alike they are. All patterns of up to 17
/// seeds are looked at, else 65,536 of them, the true one among them, the same ones every time.
std::vector<Tested> test_pairs(std::span<const std::vector<double>> differences);

/// Likewise for values of seeds that base and now do not share: the first `base` values of each list are of base, the
/// others of now, and which seeds are whose is permuted. All of up to 65,536 ways to do that are looked at, else so
/// many of them.
std::vector<Tested> test_groups(std::span<const std::vector<double>> values, std::size_t base);

}  // namespace plumb::parity::studies::drift

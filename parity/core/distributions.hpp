#pragma once

// Quantiles of the distributions of statistics, by Boost.Math.

#include <cstdint>

namespace plumb::parity::core {

/// The number that |T| exceeds with this probability, where T has Student's t distribution with so many degrees of
/// freedom; 0 < `tails` < 1, `degrees` >= 1. The mean of `degrees` + 1 normal numbers lies within so many of its
/// standard errors of the true mean with probability 1 - `tails`.
double student_t_beyond(double tails, double degrees);

/// The probability of success at which `successes` of `trials` or more have probability `tail`, and that at which so
/// many or fewer have (Clopper and Pearson, 1934): 0 where none succeeded, and 1 where all did. `trials` >= 1.
double lowest_success_rate(double successes, double trials, double tail);
double highest_success_rate(double successes, double trials, double tail);

/// The largest rank r of `count` numbers in order, from 1, so that the median of their distribution lies between number
/// r and number count + 1 - r with probability 1 - `tails` or more; 0 where not even all numbers are enough for that.
std::uint64_t median_rank(std::uint64_t count, double tails);

}  // namespace plumb::parity::core

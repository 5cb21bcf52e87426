#pragma once

// Quantiles of the distributions of statistics, by Boost.Math.

namespace plumb::parity::core {

/// The number that |T| exceeds with this probability, where T has Student's t distribution with so many degrees of
/// freedom; 0 < `tails` < 1, `degrees` >= 1. The mean of `degrees` + 1 normal numbers lies within so many of its
/// standard errors of the true mean with probability 1 - `tails`.
double student_t_beyond(double tails, double degrees);

}  // namespace plumb::parity::core

#pragma once

// Times of many runs in a few numbers.

#include <cstddef>
#include <vector>

namespace plumb::parity::studies::bench {

/// Times in the unit of the samples. Percentiles are nearest ranks.
struct Spread {
  std::size_t runs = 0;
  double min = 0, mean = 0, median = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
  /// Order statistics between which the true median lies with a probability of 0.95 or more, whatever the distribution
  /// (David and Nagaraja, Order Statistics, 7.1); the least and the largest sample where there are fewer than six.
  double low = 0, high = 0;
};

/// Throws Error where there is no sample.
Spread spread_of(std::vector<double> samples);

}  // namespace plumb::parity::studies::bench

// Order statistics of samples.
#include "parity/studies/bench/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/error.hpp"
#include "parity/core/distributions.hpp"

namespace plumb::parity::studies::bench {
namespace {

/// The sample that a share of all samples is not above: a nearest rank.
double percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace

Spread spread_of(std::vector<double> samples) {
  ir::require(!samples.empty(), "no time was measured");
  std::ranges::sort(samples);
  const std::size_t count = samples.size(), rank = std::max<std::size_t>(core::median_rank(count, 0.05), 1);
  return {.runs = count,
          .min = samples.front(),
          .mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(count),
          .median = (samples[(count - 1) / 2] + samples[count / 2]) / 2,
          .p90 = percentile(samples, 0.9),
          .p95 = percentile(samples, 0.95),
          .p99 = percentile(samples, 0.99),
          .max = samples.back(),
          .low = samples[rank - 1],
          .high = samples[count - rank]};
}

}  // namespace plumb::parity::studies::bench

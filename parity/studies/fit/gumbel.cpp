// Gumbel distributions by L-moments, with an upper limit of a quantile by a parametric bootstrap.
#include "parity/studies/fit/gumbel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace plumb::parity::studies::fit {
namespace {

constexpr std::size_t most_drawn = 2'000'000, most_resamples = 4000, most_counted = 5000;
constexpr std::uint64_t bootstrap_seed = 0x67756d62656c;

/// Uniform in (0, 1), the same on every machine.
double uniform(std::mt19937_64& random) { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; }

Gumbel fit_sorted(std::span<const double> sorted) {
  const auto n = static_cast<double>(sorted.size());
  double b0 = 0, b1 = 0;  // probability-weighted moments
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    b0 += sorted[i] / n;
    b1 += sorted[i] / n * static_cast<double>(i) / (n - 1);
  }
  const double scale = std::max(0.0, 2 * b1 - b0) / std::numbers::ln2;
  return {b0 - std::numbers::egamma * scale, scale};
}

}  // namespace

double Gumbel::exceeded_with(double tail) const { return location - scale * std::log(-std::log1p(-tail)); }

Gumbel fit_gumbel(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return fit_sorted(sorted);
}

double upper_limit(const Gumbel& fitted, std::size_t count, double tail, double confidence) {
  const double truth = Gumbel{0, 1}.exceeded_with(tail);
  const std::size_t counted = std::min(count, most_counted), resamples = std::min(most_drawn / counted, most_resamples);
  std::mt19937_64 random(bootstrap_seed);
  std::vector<double> drawn(counted), pivots;
  while (pivots.size() < resamples) {
    for (double& x : drawn) x = -std::log(-std::log(uniform(random)));
    std::ranges::sort(drawn);
    const Gumbel again = fit_sorted(drawn);
    if (again.scale > 0) pivots.push_back((truth - again.exceeded_with(tail)) / again.scale);
  }
  const auto place = static_cast<std::ptrdiff_t>(std::ceil(confidence * static_cast<double>(resamples))) - 1;
  const auto at = pivots.begin() + std::clamp<std::ptrdiff_t>(place, 0, static_cast<std::ptrdiff_t>(resamples) - 1);
  std::ranges::nth_element(pivots, at);
  const double shrinks = std::sqrt(static_cast<double>(counted) / static_cast<double>(count));
  return fitted.exceeded_with(tail) + fitted.scale * *at * shrinks;
}

}  // namespace plumb::parity::studies::fit

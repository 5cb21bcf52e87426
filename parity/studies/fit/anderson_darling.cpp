#include "parity/studies/fit/anderson_darling.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::parity::studies::fit {
namespace {

/// The variance of the statistic (4).
double variance(const std::vector<std::vector<double>>& samples, double n) {
  const auto k = static_cast<double>(samples.size());
  double H = 0, h = 0, g = 0;
  for (const auto& sample : samples) H += 1 / static_cast<double>(sample.size());
  for (double i = 1; i <= n - 2; ++i) {
    h += 1 / (n - i);  // now the sum of 1/j for j from n - i to n - 1
    g += h / (i + 1);
  }
  h += 1;
  const double a = (4 * g - 6) * (k - 1) + (10 - 6 * g) * H;
  const double b = (2 * g - 4) * k * k + 8 * h * k + (2 * g - 14 * h - 4) * H - 8 * h + 4 * g - 6;
  const double c = (6 * h + 2 * g - 2) * k * k + (4 * h - 4 * g + 6) * k + (2 * h - 6) * H + 4 * h;
  const double d = (2 * h + 6) * k * k - 4 * h * k;
  return (a * n * n * n + b * n * n + c * n + d) / ((n - 1) * (n - 2) * (n - 3));
}

/// The pooled values, sorted, in runs of equal ones: value, how many below, how many equal.
struct Tie {
  double value, below, equal;
};

std::vector<Tie> ties_of(const std::vector<std::vector<double>>& samples) {
  std::vector<double> all;
  for (const auto& sample : samples) all.insert(all.end(), sample.begin(), sample.end());
  std::ranges::sort(all);
  std::vector<Tie> ties;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (ties.empty() || all[i] != ties.back().value) ties.push_back({all[i], static_cast<double>(i), 0});
    ++ties.back().equal;
  }
  return ties;
}

}  // namespace

AndersonDarling compare_samples(const std::vector<std::vector<double>>& samples) {
  const auto ties = ties_of(samples);
  const double n = ties.back().below + ties.back().equal, m = static_cast<double>(samples.size()) - 1;
  AndersonDarling result{.critical = 1.645 + 0.678 / std::sqrt(m) - 0.362 / m};
  if (ties.size() == 1) return result;
  for (auto sample : samples) {
    std::ranges::sort(sample);
    const auto size = static_cast<double>(sample.size());
    double sum = 0;
    std::size_t at = 0;
    for (const Tie& tie : ties) {
      const auto below = static_cast<double>(at);
      while (at < sample.size() && sample[at] == tie.value) ++at;
      const double mine = (below + static_cast<double>(at)) / 2, all = tie.below + tie.equal / 2;
      const double difference = n * mine - all * size;
      sum += tie.equal / n * difference * difference / (all * (n - all) - n * tie.equal / 4);
    }
    result.statistic += sum / size;
  }
  result.statistic *= (n - 1) / n;
  result.standardised = (result.statistic - m) / std::sqrt(variance(samples, n));
  return result;
}

}  // namespace plumb::parity::studies::fit

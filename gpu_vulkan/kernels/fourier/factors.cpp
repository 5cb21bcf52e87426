// Splits lengths into factors of steps and radices of passes.
#include "gpu_vulkan/kernels/fourier/factors.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "ir/kernels/fourier.hpp"

namespace plumb::gpu_vulkan::kernels::fourier {
namespace {

using Radices = std::vector<std::uint32_t>;

/// Remembers what it found of each rest of a length.
class FewestRadices {
 public:
  explicit FewestRadices(std::uint32_t largest) : largest_(largest) {}

  const Radices& of(std::int64_t n) {
    const auto known = found_.find(n);
    return known != found_.end() ? known->second : found_.emplace(n, search(n)).first->second;
  }

 private:
  Radices search(std::int64_t n) {
    const auto size_and_sum = [](const Radices& radices) {
      return std::pair(radices.size(), std::accumulate(radices.begin(), radices.end(), 0u));
    };
    Radices best;
    // Odd ones come first: what cancels by symmetry, as imaginary parts in the middle of the spectrum of a real line,
    // then does so without an error in the last pass.
    for (const std::uint32_t radix : {7u, 14u, 5u, 15u, 10u, 9u, 3u, 12u, 6u, 32u, 16u, 8u, 4u, 2u}) {
      if (radix > largest_ || n % radix != 0) continue;
      Radices radices = {radix};
      const Radices& others = of(n / radix);
      radices.insert(radices.end(), others.begin(), others.end());
      if (best.empty() || size_and_sum(radices) < size_and_sum(best)) best = std::move(radices);
    }
    return best;
  }

  std::uint32_t largest_;
  std::map<std::int64_t, Radices> found_;
};

}  // namespace

std::vector<std::int64_t> factors_of(std::int64_t length, std::int64_t most, int count) {
  if (count == 1) return length <= most ? std::vector{length} : std::vector<std::int64_t>{};
  // The first factor is the largest divisor that is no more than its share.
  const double share = std::pow(static_cast<double>(length), 1.0 / count) + 0.5;
  for (std::int64_t d = std::min(static_cast<std::int64_t>(share), most); d > 1; --d) {
    if (length % d != 0) continue;
    std::vector<std::int64_t> factors = {d};
    const auto rest = factors_of(length / d, most, count - 1);
    factors.insert(factors.end(), rest.begin(), rest.end());
    if (!rest.empty()) return factors;
  }
  return {};
}

std::vector<std::uint32_t> radices_of(std::int64_t length) { return FewestRadices(length > 8192 ? 32 : 16).of(length); }

std::int64_t length_of_chirped(std::int64_t least, std::int64_t most) {
  std::int64_t best = ir::kernels::smooth_length(least);
  double cost = std::numeric_limits<double>::infinity();
  for (std::int64_t m = least; m <= std::min(2 * least, most); ++m) {
    if (!ir::kernels::is_smooth(m, 7)) continue;
    double passes = 1;  // Memory costs as much as a pass does; one of an odd radix half more.
    for (const std::uint32_t radix : radices_of(m)) passes += std::has_single_bit(radix) ? 1 : 1.5;
    if (passes * static_cast<double>(m) < cost) {
      best = m;
      cost = passes * static_cast<double>(m);
    }
  }
  return best;
}

}  // namespace plumb::gpu_vulkan::kernels::fourier

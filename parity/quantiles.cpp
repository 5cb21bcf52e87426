#include "parity/quantiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace plumb::parity {
namespace {

constexpr std::size_t most_kept = 65536;

}  // namespace

/// Floats without a sign order as their bits do, so the upper bits of the pattern are a logarithmic bin.
std::size_t Quantiles::bin(float x) { return std::bit_cast<std::uint32_t>(x) >> 15 & 0xFFFF; }

void Quantiles::keep(float x) {
  kept_.push_back(x);
  if (kept_.size() <= most_kept) return;
  counts_.assign(std::size_t{1} << 16, 0);
  for (const float one : kept_) ++counts_[bin(one)];
  kept_ = {};
}

double Quantiles::at(double q) const {
  if (total_ == 0) return std::numeric_limits<double>::quiet_NaN();
  const auto rank = static_cast<std::uint64_t>(std::max(1.0, std::ceil(q * static_cast<double>(total_))));
  if (counts_.empty()) {
    auto sorted = kept_;
    const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(sorted.begin(), place, sorted.end());
    return *place;
  }
  std::uint64_t below = 0;
  std::size_t found = 0;
  while (found + 1 < counts_.size() && (below += counts_[found]) < rank) ++found;
  return std::bit_cast<float>(static_cast<std::uint32_t>(found) << 15);
}

}  // namespace plumb::parity

#include "parity/quantiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace plumb::parity {
namespace {

constexpr std::size_t most_kept = 8192;

}  // namespace

void Quantiles::keep(float x) {
  kept_.push_back(x);
  if (kept_.size() > most_kept) count_kept();
}

void Quantiles::count_kept() {
  counts_.assign(std::size_t{1} << 16, 0);
  for (const float one : kept_) ++counts_[bin(one)];
  kept_ = {};
}

void Quantiles::add(const Quantiles& others) {
  for (const float x : others.kept_) add(x);
  if (others.counts_.empty()) return;
  if (counts_.empty()) count_kept();
  for (std::size_t k = 0; k < counts_.size(); ++k) counts_[k] += others.counts_[k];
  total_ += others.total_;
}

double Quantiles::at(double q) {
  if (total_ == 0) return std::numeric_limits<double>::quiet_NaN();
  const auto rank = static_cast<std::uint64_t>(std::max(1.0, std::ceil(q * static_cast<double>(total_))));
  if (counts_.empty()) {
    const auto place = kept_.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(kept_.begin(), place, kept_.end());
    return *place;
  }
  std::uint64_t below = 0;
  std::size_t found = 0;
  while (found + 1 < counts_.size() && (below += counts_[found]) < rank) ++found;
  return std::bit_cast<float>(static_cast<std::uint32_t>(found) << 15);
}

}  // namespace plumb::parity

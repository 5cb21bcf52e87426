// Quantiles of many floats by counts of their leading bits, exact as long as they are few.
// Optimised: it loops over elements or terms.
#include "parity/compare/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb::parity::compare {
namespace {

constexpr std::uint64_t most_kept = 8192;

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

/// The exponent and the bin in it.
std::uint32_t place_of(float x) { return bits_of(x) >> 15 & 0xFFFF; }

/// The magnitudes of those that are in one place, few of many.
std::vector<float> magnitudes_at(std::uint32_t place, std::span<const float> all) {
  constexpr std::size_t block = 64;  // looked through side by side
  std::vector<float> found;
  for (; !all.empty(); all = all.subspan(std::min(block, all.size()))) {
    const auto here = all.first(std::min(block, all.size()));
    if (here.size() == block) {
      std::uint32_t count = 0;
      for (std::size_t i = 0; i < block; ++i) count += place_of(here[i]) == place;
      if (count == 0) continue;
    }
    for (const float x : here)
      if (place_of(x) == place) found.push_back(std::fabs(x));
  }
  return found;
}

}  // namespace

void Distribution::add_row(std::uint32_t sign_and_exponent) {
  rows_.emplace_back();
  places_[sign_and_exponent] = static_cast<std::uint16_t>(rows_.size());
}

/// Before they are counted.
void Distribution::keep(std::span<const float> numbers) {
  if (total_ + numbers.size() <= most_kept)
    kept_.insert(kept_.end(), numbers.begin(), numbers.end());
  else
    kept_ = {};
}

void Distribution::add(std::span<const float> numbers) {
  keep(numbers);
  for (const float x : numbers) {
    const std::uint32_t bits = bits_of(x), bin = bits >> 15 & 0xFF;
    Row& counted = row(bits >> 23);
    ++counted.counts[bin];
    ++counted.total;
    if (bin == bin_of_root) counted.above_root += (bits & 0x7FFFFF) >= root_of_two;
  }
  total_ += numbers.size();
}

void Distribution::add_zeros(std::uint64_t count) {
  if (total_ + count <= most_kept)
    kept_.resize(kept_.size() + count, 0.0f);
  else
    kept_ = {};
  row(0).counts[0] += count;
  row(0).total += count;
  total_ += count;
}

void Distribution::add(const Distribution& others) {
  if (others.total_ <= most_kept)
    keep(others.kept_);
  else
    kept_ = {};
  for (std::uint32_t k = 0; k < places_.size(); ++k) {
    if (others.places_[k] == 0) continue;
    const Row& from = others.rows_[others.places_[k] - 1u];
    Row& to = row(k);
    for (std::size_t bin = 0; bin < bins; ++bin) to.counts[bin] += from.counts[bin];
    to.above_root += from.above_root;
    to.total += from.total;
  }
  total_ += others.total_;
}

double Distribution::at(double q) const {
  if (total_ == 0) return std::numeric_limits<double>::quiet_NaN();
  const auto rank = static_cast<std::uint64_t>(std::max(1.0, std::ceil(q * static_cast<double>(total_))));
  const auto counted = [this](std::size_t exponent, std::size_t bin) {
    std::uint64_t count = 0;
    for (const std::size_t k : {exponent, exponent + bins})
      if (places_[k] != 0) count += rows_[places_[k] - 1u].counts[bin];
    return count;
  };
  const auto total = [this](std::size_t exponent) {
    std::uint64_t count = 0;
    for (const std::size_t k : {exponent, exponent + bins})
      if (places_[k] != 0) count += rows_[places_[k] - 1u].total;
    return count;
  };
  std::uint64_t below = 0;
  std::size_t exponent = 0, bin = 0;
  for (std::uint64_t here = total(0); exponent + 1 < bins && below + here < rank; here = total(++exponent))
    below += here;
  for (std::uint64_t here = counted(exponent, 0); bin + 1 < bins && below + here < rank;
       here = counted(exponent, ++bin))
    below += here;
  const std::size_t found = exponent * bins + bin;
  if (total_ > most_kept) return std::bit_cast<float>(static_cast<std::uint32_t>(found) << 15);
  std::vector<float> same = magnitudes_at(static_cast<std::uint32_t>(found), kept_);
  if (std::ranges::all_of(same, [&](float x) { return x == same.front(); })) return same.front();  // zeros, mostly
  const auto place = same.begin() + static_cast<std::ptrdiff_t>(rank - below - 1);
  std::nth_element(same.begin(), place, same.end());
  return *place;
}

}  // namespace plumb::parity::compare

#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace plumb::parity::compare {

/// How large many numbers are, in bounded memory: quantiles of their magnitudes, exact up to 8192 of them, within 0.4 %
/// above that, and how many have which magnitude and sign. Their order does not matter.
class Distribution {
 public:
  void add(float x) { add(std::span(&x, 1)); }
  void add(std::span<const float> numbers);
  void add_zeros(std::uint64_t count);
  void add(const Distribution& others);

  /// The smallest magnitude with at least a share q of all at or below it; NaN when
  /// there are none.
  double at(double q) const;

  /// Calls see(negative, exponent, upper, count) for numbers of a sign whose magnitude is 2^exponent and up, below √2
  /// times that or, `upper`, not. Exponent -127 is that of 0 and subnormals, 128 that of infinity.
  template <class See>
  void for_each_size(const See& see) const;

 private:
  // Floats without a sign order as their bits do, so the upper bits of the pattern are a logarithmic bin: a row for
  // each sign and exponent that was met, and in it 256 bins.
  static constexpr std::size_t bins = 256;
  static constexpr std::uint32_t root_of_two = 0x3504F3;  ///< its fraction, rounded down
  static constexpr std::size_t bin_of_root = root_of_two >> 15;
  struct Row {
    std::array<std::uint64_t, bins> counts = {};
    std::uint64_t above_root = 0;  ///< those in bin_of_root that are above the root
    std::uint64_t total = 0;       ///< in all bins
  };

  Row& row(std::uint32_t sign_and_exponent) {
    if (places_[sign_and_exponent] == 0) add_row(sign_and_exponent);
    return rows_[places_[sign_and_exponent] - 1u];
  }
  void add_row(std::uint32_t sign_and_exponent);
  void keep(std::span<const float> numbers);

  std::uint64_t total_ = 0;
  std::array<std::uint16_t, 512> places_ = {};  ///< one more than in rows_; 0 for none
  std::vector<Row> rows_;
  std::vector<float> kept_;  ///< all of them while they are few, in any order
};

template <class See>
void Distribution::for_each_size(const See& see) const {
  for (std::size_t k = 0; k < places_.size(); ++k) {
    if (places_[k] == 0) continue;
    const Row& found = rows_[places_[k] - 1u];
    std::uint64_t lower = 0, upper = found.above_root;
    for (std::size_t bin = 0; bin < bins; ++bin) (bin <= bin_of_root ? lower : upper) += found.counts[bin];
    const int exponent = static_cast<int>(k % bins) - 127;
    see(k >= bins, exponent, false, lower - found.above_root);
    see(k >= bins, exponent, true, upper);
  }
}

}  // namespace plumb::parity::compare

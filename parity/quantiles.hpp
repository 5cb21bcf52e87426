#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace plumb::parity {

/// Quantiles of many non-negative numbers in bounded memory: exact up to 8192
/// of them, within 0.4 % above that. Their order does not matter.
class Quantiles {
 public:
  void add(float x) {
    if (counts_.empty())
      keep(x);
    else
      ++counts_[bin(x)];
    ++total_;
  }

  void add(const Quantiles& others);

  /// The smallest number with at least a share q of all at or below it; NaN when
  /// there are none.
  double at(double q);

 private:
  /// Floats without a sign order as their bits do, so the upper bits of the pattern are a logarithmic bin.
  static std::size_t bin(float x) { return std::bit_cast<std::uint32_t>(x) >> 15 & 0xFFFF; }
  void keep(float x);
  void count_kept();

  std::uint64_t total_ = 0;
  std::vector<float> kept_;            ///< in any order
  std::vector<std::uint64_t> counts_;  ///< by the upper 16 bits of the number, once there are too many to keep
};

}  // namespace plumb::parity

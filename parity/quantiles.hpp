#pragma once

#include <cstdint>
#include <vector>

namespace plumb::parity {

/// Quantiles of many non-negative numbers in bounded memory: exact up to 65536
/// of them, within 0.4 % above that.
class Quantiles {
 public:
  void add(float x) {
    if (counts_.empty())
      keep(x);
    else
      ++counts_[bin(x)];
    ++total_;
  }

  /// The smallest number with at least a share q of all at or below it; NaN when
  /// there are none.
  double at(double q) const;

 private:
  static std::size_t bin(float x);
  void keep(float x);

  std::uint64_t total_ = 0;
  std::vector<float> kept_;
  std::vector<std::uint64_t> counts_;  ///< by the upper 16 bits of the number, once there are too many to keep
};

}  // namespace plumb::parity

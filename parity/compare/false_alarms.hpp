// How many standard deviations the limits of a run allow for, from how rarely a clean run may fail.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace plumb::parity::compare {

/// The probability that a clean run of one graph and seed fails, where no policy says another (verdict.md V51).
inline constexpr double usual_false_alarms = 1e-6;

/// The probability that a run fails by chance, and the number of its chances.
struct FalseAlarms {
  double alpha = usual_false_alarms;  ///< for the whole run: half for elements, half for the gates of verdict.md 9
  std::uint64_t n_limits = 0;         ///< elements with a limit that chance may exceed

  /// The standard deviations that every limit of the run allows for (verdict.md V52): chance exceeds λσ with
  /// probability 2 exp(-λ²/2) at most, to either side, by Azuma's inequality.
  double lambda() const { return std::sqrt(2 * std::log(4 * std::max(static_cast<double>(n_limits), 1.0) / alpha)); }
};

/// The largest error of a clean run over the rms of its errors, √(2 ln N), in a run whose limits allow for `lambda`
/// standard deviations, which says how many of them there are (verdict.md V52).
inline double largest_over_rms(double alpha, double lambda) {
  return std::sqrt(std::max(lambda * lambda - 2 * std::log(4 / alpha), 0.0));
}

}  // namespace plumb::parity::compare

#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "parity/compare/compare.hpp"
#include "parity/core/lanes.hpp"

namespace plumb::parity::compare {

/// Sums over pairs of a truth y and what came, c. They are made in blocks, so that 10^8 terms lose no more than 10^5
/// would.
struct Moments {
  double parts = 0, error = 0, error2 = 0, y1 = 0, y2 = 0, c2 = 0, yc = 0;

  Moments& operator+=(const Moments& other) {
    parts += other.parts;
    error += other.error;
    error2 += other.error2;
    y1 += other.y1;
    y2 += other.y2;
    c2 += other.c2;
    yc += other.yc;
    return *this;
  }

  /// Means and norms; what has no meaning stays as it is.
  void describe(Comparison& result) const {
    if (parts > 0) {
      result.mean_signed = error / parts;
      result.rms = std::sqrt(error2 / parts);
      result.expected_rms = std::sqrt(y2 / parts);
      result.expected_norm1 = y1;
      result.expected_norm2 = std::sqrt(y2);
    }
    if (y2 > 0) {
      result.nmse = error2 / y2;
      result.rel_l2 = std::sqrt(result.nmse);
    }
    if (y2 > 0 && c2 > 0) result.cosine = yc / (std::sqrt(y2) * std::sqrt(c2));
  }
};

/// The larger of two extremes becomes `extreme`; of equals the one that comes first. NaN is none.
inline void raise(Extreme& extreme, const Extreme& other) {
  if (std::isnan(other.value)) return;
  const bool comes_before = other.value == extreme.value && other.index < extreme.index;
  if (!(other.value <= extreme.value) || comes_before) extreme = other;
}
inline void raise(double& largest, double other) {
  if (!std::isnan(other) && !(other <= largest)) largest = other;
}

/// Raises an extreme to the largest of numbers that are not negative, at the first place that has it. There are whole
/// f64x8 of them, from index `first` on.
inline void raise_to_largest(Extreme& extreme, std::span<const double> numbers, std::uint64_t first) {
  core::f64x8 most = core::f64x8{} - 1, here;
  for (std::size_t i = 0; i < numbers.size(); i += core::lanes) {
    core::load(here, &numbers[i]);
    core::raise(most, here);
  }
  const double value = core::largest(most);
  if (value < 0 || value < extreme.value) return;
  const auto found = std::ranges::find(numbers, value) - numbers.begin();
  raise(extreme, {value, first + static_cast<std::uint64_t>(found)});
}

}  // namespace plumb::parity::compare

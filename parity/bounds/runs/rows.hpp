// Rows of numbers that may be off, and which of them may be the largest: for picks, gates and draws.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "ir/tensor.hpp"

namespace plumb::parity::bounds::runs {

/// The least and the most that the numbers of a row may be.
struct Between {
  std::vector<double> low, high;

  std::size_t size() const { return low.size(); }
  bool is_known() const {
    const auto is_nan = [](double x) { return std::isnan(x); };
    return std::ranges::none_of(low, is_nan) && std::ranges::none_of(high, is_nan);
  }
};

inline Between row_of(const std::pair<ir::Tensor, ir::Tensor>& ends, std::size_t row, std::size_t width) {
  const auto low = ends.first.as<double>().subspan(row * width, width);
  const auto high = ends.second.as<double>().subspan(row * width, width);
  return {{low.begin(), low.end()}, {high.begin(), high.end()}};
}

inline std::vector<double> descending(std::vector<double> numbers) {
  std::ranges::sort(numbers, std::greater<>());
  return numbers;
}

/// How many of these numbers, the largest first, are at least x.
inline std::size_t count_from(const std::vector<double>& numbers, double x) {
  return static_cast<std::size_t>(std::ranges::upper_bound(numbers, x, std::greater<>()) - numbers.begin());
}
/// How many are above x.
inline std::size_t count_above(const std::vector<double>& numbers, double x) {
  return static_cast<std::size_t>(std::ranges::lower_bound(numbers, x, std::greater<>()) - numbers.begin());
}

/// Which of some numbers are among the `count` largest: whatever they are, or for some of what they may be.
struct Membership {
  std::vector<bool> certain, possible;
};

inline Membership among_largest(const Between& x, std::size_t count) {
  Membership found;
  const std::vector<double> low = descending(x.low), high = descending(x.high);
  for (std::size_t i = 0; i < x.size(); ++i) {
    found.certain.push_back(count_from(high, x.low[i]) <= count);  // itself among them
    found.possible.push_back(count_above(low, x.high[i]) < count);
  }
  return found;
}

/// Those of some numbers that may be the k-th largest, which lies between the k-th of the least that all may be and
/// the k-th of the most; none where the choice is clear. Where it `is_open`, several are no clear choice even if none
/// of them is off.
std::vector<std::int64_t> candidates_among(const Between& x, std::span<const std::int64_t> among, double least,
                                           double most, bool is_open = false);

/// The index of every number.
std::vector<std::int64_t> all_of(const Between& x);

/// Those that may be the largest.
std::vector<std::int64_t> largest_of(const Between& x);

}  // namespace plumb::parity::bounds::runs

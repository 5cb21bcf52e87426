#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "parity/checks/patterns/failing.hpp"

namespace plumb::parity::checks::patterns {
namespace {

using cases::Pattern;
using cases::PatternKind;

/// The share of the failing elements that are within their limit of `wanted`.
double share_of(const Failing& failing, const std::function<double(std::size_t)>& wanted) {
  double agree = 0;
  for (std::size_t n = 0; n < failing.elements.size(); ++n) {
    const std::size_t i = failing.elements[n];
    const double would = wanted(i);
    agree += failing.came[i] == would || std::abs(failing.came[i] - would) <= failing.limits[n] ? 1 : 0;
  }
  return agree / static_cast<double>(failing.elements.size());
}

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

/// All are one number, which NaN is, too.
std::vector<Pattern> stuck(const Failing& failing) {
  double nans = 0;
  for (const std::size_t i : failing.elements) nans += std::isnan(failing.came[i]) ? 1 : 0;
  const double at = failing.came[failing.elements[failing.elements.size() / 2]];
  const double share = std::isnan(at) ? nans / static_cast<double>(failing.elements.size())
                                      : static_cast<double>(std::ranges::count_if(
                                            failing.elements, [&](std::size_t i) { return failing.came[i] == at; })) /
                                            static_cast<double>(failing.elements.size());
  if (share < least_share) return {};
  return {{.kind = PatternKind::stuck, .score = share, .text = fmt::format("they are {:.6g}", at)}};
}

/// The element at the same place of the transposed matrices.
std::size_t across(std::size_t i, const ir::Shape& shape) {
  const auto rows = static_cast<std::size_t>(shape[shape.size() - 2]),
             columns = static_cast<std::size_t>(shape[shape.size() - 1]);
  const std::size_t first = i / (rows * columns) * (rows * columns), inside = i - first;
  // The matrix that came has the extents of the truth, and the numbers of its transpose one after the other.
  return first + inside % rows * columns + inside / rows;
}

}  // namespace

std::vector<Pattern> values_of(const Failing& failing) {
  if (failing.elements.size() < least_elements) return {};
  if (auto found = stuck(failing); !found.empty()) return found;
  const auto named = [&](PatternKind kind, std::int64_t period, const std::string& text,
                         const std::function<double(std::size_t)>& wanted) -> std::vector<Pattern> {
    const double share = share_of(failing, wanted);
    if (share < least_share) return {};
    return {{.kind = kind, .period = period, .score = share, .text = text}};
  };
  const auto& y = failing.truth;
  if (!failing.before.empty())
    if (auto found = named(PatternKind::before, 0, "they are what the run before gave",
                           [&](std::size_t i) { return failing.before[i]; });
        !found.empty())
      return found;
  if (auto found = named(PatternKind::sign, 0, "they have the other sign", [&](std::size_t i) { return -y[i]; });
      !found.empty())
    return found;
  std::vector<double> quotients, differences;
  for (const std::size_t i : failing.elements) {
    if (y[i] != 0) quotients.push_back(failing.came[i] / y[i]);
    differences.push_back(failing.came[i] - y[i]);
  }
  if (!quotients.empty()) {
    const double factor = median(quotients);
    if (auto found = named(PatternKind::scaled, 0, fmt::format("they are {:.6g} times the truth", factor),
                           [&](std::size_t i) { return factor * y[i]; });
        std::isfinite(factor) && !found.empty())
      return found;
  }
  const double offset = median(differences);
  if (auto found = named(PatternKind::offset, 0, fmt::format("they are the truth plus {:.6g}", offset),
                         [&](std::size_t i) { return offset + y[i]; });
      std::isfinite(offset) && !found.empty())
    return found;
  const std::int64_t columns = failing.shape.empty() ? 1 : failing.shape[failing.shape.size() - 1];
  for (const std::int64_t distance : {std::int64_t{1}, std::int64_t{-1}, columns, -columns}) {
    const auto from = [&, distance](std::size_t i) {
      const std::int64_t at = static_cast<std::int64_t>(i) - distance;
      return at >= 0 && at < static_cast<std::int64_t>(y.size()) ? y[static_cast<std::size_t>(at)] : NAN;
    };
    const std::string text =
        fmt::format("they are the truth of the element {} {}", std::abs(distance), distance > 0 ? "before" : "behind");
    if (auto found = named(PatternKind::shifted, distance, text, from); !found.empty()) return found;
  }
  if (failing.shape.size() >= 2 && !y.empty())
    return named(PatternKind::transposed, 0, "they are the truth transposed",
                 [&](std::size_t i) { return y[across(i, failing.shape)]; });
  return {};
}

}  // namespace plumb::parity::checks::patterns

// Shares out cases, so that all shares take about as long.
#include "parity/cases/listed/sharding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ir/error.hpp"
#include "parity/core/sha256.hpp"

namespace plumb::parity::cases {
namespace {

constexpr std::size_t digits_of_name = 12;

/// The median of the measured cases' flops in a second; 1 where none was measured.
double median_rate(std::span<const CaseCost> cases) {
  std::vector<double> rates;
  for (const CaseCost& one : cases)
    if (one.seconds && *one.seconds > 0 && one.flops > 0) rates.push_back(one.flops / *one.seconds);
  if (rates.empty()) return 1;
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::ranges::nth_element(rates, middle);
  return *middle;
}

/// The places of the cases, the heaviest first, and by their ids where two are as heavy.
std::vector<std::size_t> heaviest_first(std::span<const CaseCost> cases, std::span<const double> weights) {
  std::vector<std::size_t> places(cases.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
    return weights[a] != weights[b] ? weights[a] > weights[b] : cases[a].id < cases[b].id;
  });
  return places;
}

}  // namespace

std::string Shard::text() const { return fmt::format("{}/{}", index, count); }

std::vector<double> weights_of(std::span<const CaseCost> cases) {
  const double rate = median_rate(cases);
  std::vector<double> weights;
  for (const CaseCost& one : cases) weights.push_back(one.seconds.value_or(one.flops / rate));
  return weights;
}

std::vector<std::uint16_t> shares_of(std::span<const CaseCost> cases, std::uint16_t count) {
  ir::require(count > 0, "cases are shared out among one start of the program at least");
  const std::vector<double> weights = weights_of(cases);
  std::vector<std::pair<double, std::size_t>> loads(count);  // and how many cases
  std::vector<std::uint16_t> shares(cases.size());
  for (const std::size_t place : heaviest_first(cases, weights)) {
    const auto least = std::ranges::min_element(loads);
    least->first += weights[place];
    ++least->second;
    shares[place] = static_cast<std::uint16_t>(least - loads.begin() + 1);
  }
  return shares;
}

std::string partition_of(std::span<const CaseCost> cases, std::uint16_t count) {
  const std::vector<double> weights = weights_of(cases);
  std::string text = fmt::format("shares={}\n", count);
  for (const std::size_t place : heaviest_first(cases, weights))
    text += fmt::format("{}={}\n", cases[place].id, weights[place]);
  return core::sha256(text).substr(0, digits_of_name);
}

}  // namespace plumb::parity::cases

// The term whose absence is asked about where a sum is asked whether it would notice that one is missing.
#include "parity/element/terms/median_term.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plumb::parity::element::terms {

std::optional<std::size_t> median_term(std::span<const double> terms, std::vector<std::size_t> places) {
  std::erase_if(places, [&](std::size_t k) { return terms[k] == 0 || !std::isfinite(terms[k]); });
  if (places.empty()) return std::nullopt;
  const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
  std::ranges::nth_element(places, middle, {}, [&](std::size_t k) { return std::abs(terms[k]); });
  return *middle;
}

std::optional<std::size_t> median_term(std::span<const double> terms) {
  std::vector<std::size_t> all(terms.size());
  std::iota(all.begin(), all.end(), 0);
  return median_term(terms, std::move(all));
}

std::optional<double> median_of_lesser(std::vector<double> terms) {
  if (terms.empty()) return std::nullopt;
  terms.erase(std::ranges::max_element(terms, {}, [](double term) { return std::abs(term); }));
  const auto place = median_term(terms);
  return place ? std::optional(terms[*place]) : std::nullopt;
}

}  // namespace plumb::parity::element::terms

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace plumb::parity::element::terms {

/// Where the term of median size is among those at `places`, of which zeros and what is not finite do not count;
/// nothing where none is left. Without places, among all.
std::optional<std::size_t> median_term(std::span<const double> terms, std::vector<std::size_t> places);
std::optional<std::size_t> median_term(std::span<const double> terms);

/// That of terms which are relative to the largest of them, which does not count: alone it is the whole sum, and to
/// lose it is no small fault.
std::optional<double> median_of_lesser(std::vector<double> terms);

}  // namespace plumb::parity::element::terms

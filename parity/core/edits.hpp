#pragma once

#include <cstddef>
#include <string_view>

namespace plumb::parity::core {

/// How many letters have to be left out, put in, exchanged, or swapped with their neighbour, to make one word of the
/// other (restricted Damerau-Levenshtein distance).
std::size_t edits(std::string_view a, std::string_view b);

}  // namespace plumb::parity::core

#pragma once

// Misspelt words, and what was probably meant.

#include <string>
#include <string_view>
#include <vector>

namespace plumb::parity::core {

/// "; did you mean PREFIX WORD?", in one, for the word that is fewest letters away (left out, put in, exchanged, or two
/// swapped; capitals count as small letters), the first of several; "" where none is closer than half of its own
/// length.
std::string did_you_mean(std::string_view found, const std::vector<std::string>& words, std::string_view prefix = "");

}  // namespace plumb::parity::core

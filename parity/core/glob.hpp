#pragma once

#include <string_view>

namespace plumb::parity::core {

/// Whether the whole text matches: * is any run of characters, ? any one. Takes time
/// proportional to the product of the lengths at worst, whatever the pattern.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace plumb::parity::core

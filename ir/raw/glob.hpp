#pragma once

// Globs over names.

#include <string_view>

namespace plumb::ir::raw {

/// Whether letters of ASCII match in either case.
enum class Letters { as_written, either_case };

/// Whether the whole text matches: * is any run of characters, ? any one. Takes time
/// proportional to the product of the lengths at worst, whatever the pattern.
bool glob_matches(std::string_view pattern, std::string_view text, Letters letters = Letters::as_written);

}  // namespace plumb::ir::raw

#pragma once

#include <string>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::report {

/// The levels of maps, from far below the limit to beyond it: five up to the limit, which are 1.6 powers of 2 wide,
/// four beyond it, which end at 4, 16 and 64 times the limit, and one of what is not finite.
inline constexpr std::string_view map_signs = " .:-=+*#%@";
std::size_t map_level(std::uint8_t cell);

/// The map of what was judged of an output in at most 16 lines of at most 32 signs, between axes whose labels are the
/// rows and columns of the output where a sign begins, under a line on the output. It has a map.
std::string map_text(const cases::NodeResult& node);

}  // namespace plumb::parity::report

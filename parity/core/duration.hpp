#pragma once

// Times as people write them.

#include <chrono>
#include <string>
#include <string_view>

namespace plumb::parity::core {

/// The seconds of "500ms", "60s", "5m", "1h" or a number of seconds. Throws Error, which names the flag, for anything
/// else, and unless they are above 0.
double seconds_of(std::string_view flag, const std::string& text);

/// Takes the same texts, but for a number without a unit; duration_of in whole milliseconds.
double seconds_with_unit(std::string_view flag, const std::string& text);
std::chrono::milliseconds duration_of(std::string_view flag, const std::string& text);

}  // namespace plumb::parity::core

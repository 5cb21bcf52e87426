#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace plumb::parity::cli::flags {

/// The seconds of "60s", "5m", "1h" or a number of seconds. Throws Error, which names the flag, for anything else, and
/// unless they are above 0.
double seconds_of(std::string_view flag, const std::string& text);

/// Takes the same texts, but for a number without a unit.
std::chrono::milliseconds duration_of(std::string_view flag, const std::string& text);

}  // namespace plumb::parity::cli::flags

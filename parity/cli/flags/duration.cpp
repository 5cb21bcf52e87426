// Reads a time as people write it.
#include "parity/cli/flags/duration.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>

#include "ir/error.hpp"

namespace plumb::parity::cli::flags {

double seconds_of(std::string_view flag, const std::string& text) {
  std::size_t used = 0;
  double number = -1;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const std::string unit = text.substr(used);
  const double scale = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  ir::require(used > 0 && number > 0 && std::isfinite(number) && scale > 0, flag,
              " is a time above 0 such as 60s, 5m or 1h, got '", text, "'");
  return number * scale;
}

std::chrono::milliseconds duration_of(std::string_view flag, const std::string& text) {
  constexpr double longest = 1e9;  // in milliseconds, eleven days
  ir::require(!text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0, flag,
              " is a time with a unit such as 60s, 5m or 1h, got '", text, "'");
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(1e3 * seconds_of(flag, text), longest)));
}

}  // namespace plumb::parity::cli::flags

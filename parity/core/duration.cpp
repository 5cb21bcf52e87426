// Reads a time as people write it.
#include "parity/core/duration.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>

#include "ir/error.hpp"

namespace plumb::parity::core {

double seconds_of(std::string_view flag, const std::string& text) {
  std::size_t used = 0;
  double number = -1;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const std::string unit = text.substr(used);
  const double scale = unit.empty() || unit == "s" ? 1
                       : unit == "ms"              ? 1e-3
                       : unit == "m"               ? 60
                       : unit == "h"               ? 3600
                                                   : 0;
  ir::require(used > 0 && number > 0 && std::isfinite(number) && scale > 0, flag,
              " is a time above 0 such as 60s, 5m or 1h, got '", text, "'");
  return number * scale;
}

double seconds_with_unit(std::string_view flag, const std::string& text) {
  ir::require(!text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0, flag,
              " is a time with a unit such as 60s, 5m or 1h, got '", text, "'");
  return seconds_of(flag, text);
}

std::chrono::milliseconds duration_of(std::string_view flag, const std::string& text) {
  constexpr double longest = 1e9;  // in milliseconds, eleven days
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(1e3 * seconds_with_unit(flag, text), longest)));
}

}  // namespace plumb::parity::core

// Floats as TOML writes them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace plumb::parity::profile {

/// x as a float of TOML, in the fewest digits that are read as x again: 2.0, 1.5e-07, 1.0e+20, inf. Without a point 2
/// would be an integer; and TOML wants digits on both sides of a point, which fmt's "{:#}" does not give 1.e-05.
inline std::string toml_number(double x) {
  std::string text = fmt::format("{}", x);
  const auto exponent = std::min(text.find('e'), text.size());
  if (std::isfinite(x) && text.find('.') >= exponent) text.insert(exponent, ".0");
  return text;
}

}  // namespace plumb::parity::profile

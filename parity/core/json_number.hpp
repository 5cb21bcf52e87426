#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace plumb::parity::core {

/// JSON has no numbers that are not finite: NaN, which means not computed, is null, and
/// infinities travel as graph files write them.
inline nlohmann::ordered_json json_number(double x) {
  if (std::isnan(x)) return nullptr;
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

}  // namespace plumb::parity::core

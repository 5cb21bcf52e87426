// Powers of two, by which numbers are multiplied and divided without a rounding.
#pragma once

#include <cmath>

namespace plumb::parity::core {

/// Whether x is one, or one with a sign.
inline bool is_power_of_two(double x) {
  int exponent = 0;
  return std::abs(std::frexp(x, &exponent)) == 0.5;
}

}  // namespace plumb::parity::core

#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace plumb::parity::cases {

/// How a kernel that says that it rounds to nearest rounded a sample of bare sums (verdict.md 9). NaN: not measured.
struct Statistics {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::uint64_t n = 0;   ///< elements of the sample, of which no two have the same significand
  double rho = unknown;  ///< rms of e/σ; uniform roundings give at most 1/√3
  double bits_accumulator = unknown, bits_operand = unknown;  ///< bits of either if the other were perfect
  double misrounded = unknown, misrounded_bound = unknown;    ///< share of 16-bit results that are not RN(y); by chance
  double bias = unknown, bias_t = unknown;                    ///< mean of sgn(y)e/σ, and over its standard error
  std::string finding = {};  ///< why the kernel rounds off more than it says; else empty
};

}  // namespace plumb::parity::cases

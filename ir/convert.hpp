#pragma once

#include <cmath>
#include <limits>

#include "ir/dtype.hpp"

namespace plumb::ir {

/// One element as another dtype, by the rules of the op cast (ops.md 2):
/// float to integer truncates and saturates, NaN gives 0; integers wrap; floats
/// round once to nearest even. Complex to anything else is the real part, which
/// only callers that have excluded it ever see.
template <class To, class From>
To convert_value(From x) {
  if constexpr (is_complex(dtype_of<From>)) {
    if constexpr (is_complex(dtype_of<To>))
      return To(x);
    else if constexpr (std::is_same_v<To, bool>)
      return x != From{};
    else
      return convert_value<To>(x.real());
  } else if constexpr (is_complex(dtype_of<To>)) {
    using Part = typename To::value_type;
    return To(convert_value<Part>(x), Part{0});
  } else if constexpr (std::is_same_v<From, f16> || std::is_same_v<From, bf16>) {
    return convert_value<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From{};
  } else if constexpr (std::is_same_v<To, f16> || std::is_same_v<To, bf16>) {
    if constexpr (std::is_same_v<From, std::int64_t>) {
      // Beyond 2^53 a double rounds first; both types overflow or have far fewer bits, so keep a sticky bit.
      const std::int64_t kept =
          (x > (1ll << 53) || x < -(1ll << 53)) ? ((x >> 11 << 11) | ((x & 0x7FF) != 0 ? 1ll << 11 : 0)) : x;
      return To(static_cast<double>(kept));
    } else if constexpr (std::is_same_v<From, float>) {
      return To(x);
    } else {
      return To(static_cast<double>(x));
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(x)) return To{0};
    constexpr auto low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    if (x <= static_cast<From>(low)) return low;
    if (x >= static_cast<From>(high)) return high;  // rounds up to the first value that does not fit
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace plumb::ir

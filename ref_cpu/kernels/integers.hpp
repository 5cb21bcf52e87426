#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace plumb::ref_cpu::kernels {

/// The unsigned type in which T's arithmetic is done, so that it wraps (ops.md 1.5):
/// not narrower than unsigned, or C++ would compute in int, which must not overflow.
template <class T>
using Modular = std::conditional_t<(sizeof(T) > sizeof(std::uint32_t)), std::uint64_t, std::uint32_t>;

template <class T>
T wrapping_add(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) + static_cast<Modular<T>>(b));
}
template <class T>
T wrapping_subtract(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) - static_cast<Modular<T>>(b));
}
template <class T>
T wrapping_multiply(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) * static_cast<Modular<T>>(b));
}

/// Whether a / b is the one quotient that does not fit; C++ does not define it.
template <class T>
bool quotient_overflows(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    return b == -1 && a == std::numeric_limits<T>::min();
  else
    return false;
}

/// a / b toward zero; x / 0 = 0, and the least integer over -1 wraps to itself.
template <class T>
T quotient(T a, T b) {
  if (b == 0) return 0;
  return quotient_overflows(a, b) ? a : static_cast<T>(a / b);
}

/// The remainder of quotient(a, b), with the sign of a; 0 where b is 0.
template <class T>
T remainder(T a, T b) {
  return b == 0 || quotient_overflows(a, b) ? T{0} : static_cast<T>(a % b);
}

/// base^exponent modulo 2^w. A negative exponent: exact for base 1 and -1, else 0.
template <class T>
T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1 || (base == -1 && exponent % 2 == 0)) return 1;
      return base == -1 ? T{-1} : T{0};
    }
  }
  Modular<T> result = 1, square = static_cast<Modular<T>>(base);
  for (auto rest = static_cast<Modular<T>>(exponent); rest != 0; rest >>= 1, square *= square)
    if ((rest & 1) != 0) result *= square;
  return static_cast<T>(result);
}

template <class T>
inline constexpr int width_of = static_cast<int>(8 * sizeof(T));

/// Shifts by the width or more, or by a negative amount, leave 0 and the sign.
template <class T>
T shift_left(T x, T amount) {
  if (amount < 0 || amount >= width_of<T>) return 0;
  return static_cast<T>(static_cast<Modular<T>>(x) << static_cast<int>(amount));
}
template <class T>
T shift_right(T x, T amount) {
  if (amount < 0 || amount >= width_of<T>) return x < 0 ? static_cast<T>(-1) : T{0};
  return static_cast<T>(x >> static_cast<int>(amount));  // arithmetic for signed x
}

}  // namespace plumb::ref_cpu::kernels

// The functions of `binary` on integers, which wrap. Narrow ones are computed in 32
// bits and cut when they are stored.
#ifndef PLUMB_BINARY_INTEGER_GLSL
#define PLUMB_BINARY_INTEGER_GLSL

#include "gpu_vulkan/kernels/elementwise/binary_functions.glsl"

#if defined(VARIANT_u8) || defined(VARIANT_i8)
#define WIDTH 8
#elif defined(VARIANT_u16) || defined(VARIANT_i16)
#define WIDTH 16
#elif defined(VARIANT_i64)
#define WIDTH 64
#else
#define WIDTH 32
#endif

const COMPUTED zero = COMPUTED(0), one = COMPUTED(1), minus_one = zero - one;

/// a / b toward zero; x / 0 = 0, and x / -1 is -x even for the least x.
COMPUTED integer_quotient(COMPUTED a, COMPUTED b) {
  if (b == zero) return zero;
#if !defined(VARIANT_u8) && !defined(VARIANT_u16) && !defined(VARIANT_u32)
  if (b == minus_one) return zero - a;
#endif
  return a / b;
}

/// The remainder of integer_quotient, with the sign of a; 0 for b = 0. % is undefined for negative operands.
COMPUTED integer_remainder(COMPUTED a, COMPUTED b) { return b == zero ? zero : a - integer_quotient(a, b) * b; }

COMPUTED with_divisor_sign(COMPUTED rest, COMPUTED b) {
  return rest != zero && (rest < zero) != (b < zero) ? rest + b : rest;
}

/// base^exponent modulo 2^w; a negative exponent is exact for base 1 and -1, else 0.
COMPUTED integer_power(COMPUTED base, COMPUTED exponent) {
  if (exponent < zero) {
    if (base == one) return one;
    return base != minus_one ? zero : (exponent & one) == zero ? one : minus_one;
  }
  COMPUTED result = one;
  for (; exponent != zero; exponent >>= 1) {
    if ((exponent & one) != zero) result *= base;
    base *= base;
  }
  return result;
}

bool is_shift(COMPUTED amount) { return amount >= zero && amount < COMPUTED(WIDTH); }

COMPUTED binary_integer(uint function, COMPUTED a, COMPUTED b) {
  switch (function) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return integer_quotient(a, b);
    case MAXIMUM: return max(a, b);
    case MINIMUM: return min(a, b);
    case POWER: return integer_power(a, b);
    case MOD: return with_divisor_sign(integer_remainder(a, b), b);
    case FMOD: return integer_remainder(a, b);
    case BIT_AND: return a & b;
    case BIT_OR: return a | b;
    case BIT_XOR: return a ^ b;
    case SHIFT_LEFT: return is_shift(b) ? a << int(b) : zero;
    case SHIFT_RIGHT: return is_shift(b) ? a >> int(b) : a < zero ? minus_one : zero;
    default: return a;
  }
}

#endif

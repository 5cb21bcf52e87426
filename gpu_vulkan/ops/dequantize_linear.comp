#version 450
// variants: w32 f64
// (q - zero point)·scale. Narrower than f64 the product of a whole number and a significand is made of integers and
// rounded once, to nearest even, whatever the device makes of subnormal numbers.
#extension GL_GOOGLE_include_directive : require
#define RESULT 3
#include "gpu_vulkan/kernels/elementwise/scaled.glsl"

layout(constant_id = 14) const uint y_fraction_bits = 23;
layout(constant_id = 15) const uint y_least_exponent = 0;  // two's complement
layout(constant_id = 16) const uint y_infinity = 0x7F800000u;

/// The number of a code: size·2^exponent, a sign, and what it is where it is no such number.
struct Code {
  uint size;
  int exponent;
  bool is_negative, is_infinite, is_nan;
};

Code code_of(uint bits, uint place) {
  if (float_codes) {
    const uint magnitude = bits & (sign_bit - 1u), of_exponent = magnitude >> fraction_bits;
    const uint implied = of_exponent == 0u ? 0u : 1u << fraction_bits;
    const int exponent = int(least_exponent) + int(max(of_exponent, 1u)) - 1 - int(fraction_bits);
    const bool is_infinite = magnitude == beyond && beyond > largest && beyond != nan_code;
    return Code(magnitude & ((1u << fraction_bits) - 1u) | implied, exponent, (bits & sign_bit) != 0u, is_infinite,
                magnitude > largest && !is_infinite);
  }
  int q = int(bits);
  if (from == I8) q = bitfieldExtract(q, 0, 8);
  if (from == I16) q = bitfieldExtract(q, 0, 16);
  q -= zero_at(place);  // codes of 32 bits have no zero point
  return Code(q < 0 ? 0u - uint(q) : uint(q), 0, q < 0, false, false);
}

#ifdef HAS_F64
precise double product(Code code, double scale) {
  double x = double(code.size) * double_power_of_two(code.exponent);
  if (code.is_infinite) x = double_infinity();
  if (code.is_nan) x = double_nan();
  return (code.is_negative ? -x : x) * scale;
}
#else
/// The bits of lead·2^(exponent - 31) in the result's dtype, where the highest bit of `lead` is set and the lowest
/// stands for all that are lost.
uint rounded_bits(uint lead, int exponent) {
  const int least = int(y_least_exponent), below = max(least - exponent, 0);
  const uint dropped = uint(min(31 - int(y_fraction_bits) + below, 33));
  if (dropped == 33u) return 0u;
  const uint kept = dropped == 32u ? 0u : lead >> dropped, lost = dropped == 32u ? lead : lead - (kept << dropped);
  const uint tie = 1u << (dropped - 1u);
  const uint steps = kept + (lost > tie || (lost == tie && (kept & 1u) != 0u) ? 1u : 0u);
  // Normal numbers have 2^fraction bits steps or more, which is the exponent's own bit.
  return min((uint(max(exponent - least, 0)) << y_fraction_bits) + steps, y_infinity);
}

uint product(Code code, uint scale) {
  const uint magnitude = scale & magnitude_bits, y_sign = (y_infinity << 1) & ~y_infinity;
  const uint sign = code.is_negative != ((scale >> 31) != 0u) ? y_sign : 0u;
  const bool no_code = !code.is_infinite && code.size == 0u;
  const bool is_infinite = code.is_infinite || magnitude == infinity_bits;
  if (code.is_nan || magnitude > infinity_bits || (is_infinite && (no_code || magnitude == 0u)))
    return y_infinity | 1u << (y_fraction_bits - 1u);
  if (is_infinite) return sign | y_infinity;
  if (no_code || magnitude == 0u) return sign;
  const uint of_exponent = magnitude >> 23;
  const uint significand = magnitude & 0x007FFFFFu | (of_exponent == 0u ? 0u : 0x00800000u);
  uint high, low;
  umulExtended(code.size, significand, high, low);
  const int top = high != 0u ? 32 + findMSB(high) : findMSB(low), up = 63 - top;
  const uint lead = up >= 32 ? low << (up - 32) : up == 0 ? high : high << up | low >> (32 - up);
  const uint rest = up >= 32 ? 0u : low << up;
  return sign | rounded_bits(lead | (rest != 0u ? 1u : 0u), top + code.exponent + int(max(of_exponent, 1u)) - 150);
}
#endif

uvec2 made_of(uint i, uvec2 bits) {
  const uint place = scale_place(i);
#ifdef HAS_F64
  return unpackDouble2x32(product(code_of(bits.x, place), scales[place]));
#else
  return uvec2(product(code_of(bits.x, place), scales[place]), 0u);
#endif
}

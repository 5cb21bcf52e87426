// The remainder of doubles, exact by long division of 64-bit integers (as fmodf in
// power.glsl).
#ifndef PLUMB_FMOD_F64_GLSL
#define PLUMB_FMOD_F64_GLSL

#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
#include "gpu_vulkan/glsl/arithmetic.glsl"

/// The significand of a finite double as an integer, and the exponent of its last bit.
uint64_t whole_significand(uvec2 magnitude, out int exponent) {
  exponent = max(int(magnitude.y >> 20), 1);
  const uint high = magnitude.y & 0x000FFFFFu | (magnitude.y < 0x00100000u ? 0u : 0x00100000u);
  return packUint2x32(uvec2(magnitude.x, high));
}

double fmodf(double x, double y) {
  if (is_nan(x) || is_nan(y) || is_infinite(x) || is_zero(y)) return double_nan();
  if (is_infinite(y)) return x;
  int up, down;
  uint64_t rest = whole_significand(magnitude_of(x), up);
  const uint64_t divisor = whole_significand(magnitude_of(y), down);
  if (up < down) return x;
  rest %= divisor;
  for (int left = up - down; left > 0 && rest != 0ul; left -= 11) rest = (rest << min(left, 11)) % divisor;
  if (rest == 0ul) return with_sign(0.0lf, sign_of(x));
  const uvec2 words = unpackUint2x32(rest);
  const int leading = 52 - (words.y != 0u ? 32 + findMSB(words.y) : findMSB(words.x)), field = down - leading;
  if (field <= 0) return with_sign(packDouble2x32(unpackUint2x32(rest << down - 1)), sign_of(x));
  const uvec2 bits = unpackUint2x32(rest << leading);
  return with_sign(packDouble2x32(uvec2(bits.x, bits.y & 0x000FFFFFu | uint(field) << 20)), sign_of(x));
}

#endif

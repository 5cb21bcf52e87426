#version 450
// variants: c64 c128
// y = modulus, angle or the square of the modulus
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 1
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

#ifdef VARIANT_c128
#include "gpu_vulkan/glsl/trigonometry_f64.glsl"
#define PART double
#define PARTS dvec2
#else
#include "gpu_vulkan/glsl/trigonometry.glsl"
#define PART float
#define PARTS vec2
#endif

layout(constant_id = 4) const uint function = 2;
const uint ABS = 2u, ANGLE = 3u, NORM_SQUARED = 4u;  // numbers of ir::ops::ComplexPartFunction

layout(set = 0, binding = 0) readonly buffer Z { PARTS z[]; };
layout(set = 0, binding = 1) writeonly buffer Y { PART y[]; };

precise PART sum_of_squares(PART a, PART b) { return a * a + b * b; }

#ifdef VARIANT_c128
PART modulus(PARTS v) {
  if (is_infinite(v.x) || is_infinite(v.y)) return double_infinity();
  if (is_nan(v.x) || is_nan(v.y)) return double_nan();
  const double a = with_sign(v.x, 0u), b = with_sign(v.y, 0u), high = max(a, b);
  // Squares neither overflow nor vanish beside each other: a power of two brings the larger near 1.
  const int shift = high > 1e150lf ? -600 : high < 1e-100lf ? 600 : 0;
  const double root = square_root(sum_of_squares(a * double_power_of_two(shift), b * double_power_of_two(shift)));
  return root * double_power_of_two(-shift);
}
#else
/// By significands, so that squares neither overflow nor vanish, and no device takes a part for 0.
precise PART modulus(PARTS v) {
  const uint a = magnitude_of(v.x), b = magnitude_of(v.y), high = max(a, b), low = min(a, b);
  if (a == infinity_bits || b == infinity_bits) return positive_infinity();
  if (high > infinity_bits) return quiet_nan();
  if (is_none(low)) return uintBitsToFloat(high);
  int exponent, smaller;
  const float m = significand(high, exponent), n = significand(low, smaller);
  if (exponent - smaller > 26) return uintBitsToFloat(high);  // the other square is below a quarter of an ulp
  return scale(square_root(sum_of_squares(m, n * power_of_two(smaller - exponent))), exponent);
}
#endif

PART apply(PARTS v) {
  switch (function) {
    case ABS: return modulus(v);
    case ANGLE: return atan2f(v.y, v.x);
    default: return sum_of_squares(v.x, v.y);
  }
}

void main() {
  PARTS v[MOST_UNITS * PACK];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    [[unroll]] for (uint i = 0; i < width; ++i)
      if (i < n) v[u * width + i] = z[q * width + i];
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    [[unroll]] for (uint i = 0; i < width; ++i)
      if (i < n) y[q * width + i] = apply(v[u * width + i]);
  }
}

// The whole numbers beside a double, made of its bits: what a driver makes of its own roundEven() and trunc() of doubles
// is not always right (lavapipe rounds 1.5 to 1), and a device may read a subnormal number as 0.
#ifndef PLUMB_WHOLE_F64_GLSL
#define PLUMB_WHOLE_F64_GLSL

#include "gpu_vulkan/glsl/arithmetic.glsl"

int exponent_of(double x) { return int(magnitude_of(x).y >> 20) - 1023; }
bool has_fraction(double x, double whole) { return any(notEqual(unpackDouble2x32(x), unpackDouble2x32(whole))); }

/// x without its fraction, its sign kept; infinity and NaN as they are.
double whole_part(double x) {
  const uvec2 bits = unpackDouble2x32(x);
  const int exponent = exponent_of(x);
  if (exponent >= 52) return x;
  if (exponent < 0) return packDouble2x32(uvec2(0u, sign_of(x)));
  if (exponent < 20) return packDouble2x32(uvec2(0u, bits.y & ~(0x000FFFFFu >> exponent)));
  return packDouble2x32(uvec2(bits.x & ~(0xFFFFFFFFu >> exponent - 20), bits.y));
}

/// The largest whole number that is no larger than x, and the smallest that is no smaller.
precise double whole_below(double x) {
  const double whole = whole_part(x);
  return sign_of(x) != 0u && has_fraction(x, whole) ? whole - 1.0lf : whole;
}
precise double whole_above(double x) {
  const double whole = whole_part(x);
  return sign_of(x) == 0u && has_fraction(x, whole) ? whole + 1.0lf : whole;
}

/// The whole number nearest to x, of two the even one; a zero has the sign of x.
precise double nearest_whole(double x) {
  const int exponent = exponent_of(x);
  const double whole = whole_part(x);
  if (exponent < -1 || exponent >= 52) return whole;
  const double size = with_sign(whole, 0u), half_size = 0.5lf * size, rest = with_sign(x, 0u) - size;
  const bool is_odd = has_fraction(half_size, whole_part(half_size));
  return rest > 0.5lf || (rest == 0.5lf && is_odd) ? with_sign(size + 1.0lf, x) : whole;
}

#endif

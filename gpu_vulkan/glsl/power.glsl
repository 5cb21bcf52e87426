// x^y and the remainder of x / y in f32: the first with log2 x in two words, the
// second exact by long division of integers.
#ifndef PLUMB_POWER_GLSL
#define PLUMB_POWER_GLSL

#include "gpu_vulkan/glsl/math.glsl"

precise vec2 product_of(vec2 a, vec2 b) {
  const vec2 p = product_of(a.x, b.x);
  return sum_of_ordered(p.x, p.y + (a.x * b.y + a.y * b.x));
}

/// log2 of a positive finite magnitude, relative error below 2^-32.
precise vec2 log2_of(uint magnitude) {
  int k;
  float m = significand(magnitude, k);
  if (m > 1.41421354) {
    m *= 0.5;
    ++k;
  }
  // ln m = 2 (s + s^3 (1/3 + s^2/5 + ...)) with s = (m - 1) / (m + 1), |s| < 0.172
  const float f = m - 1.0, d = m + 1.0, d_rest = m - (d - 1.0);
  const float s1 = quotient(f, d);
  const vec2 back = product_of(s1, d);
  const vec2 s = sum_of_ordered(s1, quotient(((f - back.x) - back.y) - s1 * d_rest, d));
  const vec2 z = product_of(s, s);
  float q = 9.43572894e-2;  // minimax of (atanh(s)/s - 1 - z/3) / z^2 in z = s^2
  q = fma(q, z.x, 0.111087903);
  q = fma(q, z.x, 0.142856717);
  q = fma(q, z.x, 0.200000003);
  const vec2 series = sum_of_ordered(0.333333343, fma(q, z.x, -9.93410776e-9));
  const vec2 cubic = product_of(product_of(s, z), series);
  const vec2 head = sum_of_ordered(s.x, cubic.x);
  const vec2 half_ln = sum_of_ordered(head.x, head.y + (s.y + cubic.y));
  const vec2 log2 = product_of(half_ln, vec2(2.88539004, 3.85192601e-8));  // 2 / ln 2
  const vec2 whole = sum_of_ordered(float(k), log2.x);
  return sum_of_ordered(whole.x, whole.y + log2.y);
}

/// x^y for a positive finite magnitude of x that is not 1, and finite y.
precise float power_of_magnitude(uint magnitude, float y) {
  // Beyond 2^33 the result has left the range, the logarithm of the float nearest 1 being 2^-24.
  const float kept = clamp(y, -8589934592.0, 8589934592.0);
  const vec2 l = log2_of(magnitude);
  const vec2 p = product_of(kept, l.x);
  const float t = clamp(p.x, -300.0, 300.0), n = roundEven(t);
  const float rest = t == p.x ? fma(kept, l.y, p.y) : 0.0;
  const float r = (t - n) + rest;  // 2^r = e^(r ln 2)
  int more;
  const float m = expm1_reduced(r * 0.693147182, 0.0, more);
  return scale(1.0 + m, int(n) + more);
}

/// x^y as C99 Annex F has it.
float powf(float x, float y) {
  const uint base = magnitude_of(x), exponent = magnitude_of(y), one = 0x3F800000u;
  if (is_none(exponent) || floatBitsToUint(x) == one) return 1.0;
  if (base > infinity_bits || exponent > infinity_bits) return quiet_nan();
  const bool grows = sign_of(y) == 0u;
  if (exponent == infinity_bits) return base == one ? 1.0 : (base > one) == grows ? positive_infinity() : 0.0;
  // From 2^24 on every float is whole, and even; below 1 only 0 is, which a device may take subnormals for.
  const bool is_whole = exponent >= 0x4B800000u || (exponent >= one && floor(y) == y);
  const bool is_odd = is_whole && exponent < 0x4B800000u && (int(y) & 1) != 0;
  const float sign = is_odd && sign_of(x) != 0u ? -1.0 : 1.0;
  const bool no_base = is_none(base);
  if (no_base || base == infinity_bits) return sign * (no_base == grows ? 0.0 : positive_infinity());
  if (sign_of(x) != 0u && !is_whole) return quiet_nan();
  return sign * (base == one ? 1.0 : power_of_magnitude(base, y));
}

/// The significand of a finite magnitude as an integer, and the exponent of its last bit.
uint whole_significand(uint magnitude, out int exponent) {
  exponent = max(int(magnitude >> 23), 1);
  return magnitude & 0x007FFFFFu | (magnitude < 0x00800000u ? 0u : 0x00800000u);
}

/// x - y trunc(x / y), exact: long division, 8 bits of the quotient at a time.
float fmodf(float x, float y) {
  const uint a = magnitude_of(x), b = magnitude_of(y);
  if (a >= infinity_bits || b > infinity_bits || is_none(b)) return quiet_nan();
  if (a < b) return x;
  int up, down;
  uint rest = whole_significand(a, up);
  const uint divisor = whole_significand(b, down);
  rest %= divisor;
  for (int left = up - down; left > 0 && rest != 0u; left -= 8) rest = (rest << min(left, 8)) % divisor;
  if (rest == 0u) return uintBitsToFloat(sign_of(x));
  // rest 2^(down - 150): back to a float, by its bits, as it may be subnormal
  const int leading = 23 - findMSB(rest), field = down - leading;
  const uint bits = field > 0 ? (rest << leading & 0x007FFFFFu) | uint(field) << 23 : rest << down - 1;
  return uintBitsToFloat(bits | sign_of(x));
}

#endif

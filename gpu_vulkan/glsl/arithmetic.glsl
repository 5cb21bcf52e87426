// IEEE arithmetic that Vulkan leaves open: division (it promises 2.5 ulp, and
// nothing for divisors beyond 2^126), square roots, NaN in maximum and minimum.
// Operands are classified by their bits, so that no compiler can assume NaN and
// infinity away; `precise` keeps it from reordering or contracting. fma() may be two
// roundings on a device: results then stay within the bounds given here.
#ifndef PLUMB_ARITHMETIC_GLSL
#define PLUMB_ARITHMETIC_GLSL

const uint infinity_bits = 0x7F800000u;
const uint magnitude_bits = 0x7FFFFFFFu;

uint magnitude_of(float x) { return floatBitsToUint(x) & magnitude_bits; }
uint sign_of(float x) { return floatBitsToUint(x) & 0x80000000u; }

bool is_nan(float x) { return magnitude_of(x) > infinity_bits; }
bool is_infinite(float x) { return magnitude_of(x) == infinity_bits; }

/// Whether m is 0: m (2^32 - 1) / 2^32 is m for 0 alone. LLVM would turn m == 0 into a comparison of floats, in
/// which a subnormal is 0 where the device flushes them.
bool is_none(uint m) {
  uint high, low;
  umulExtended(m, 0xFFFFFFFFu, high, low);
  return high == m;
}
bool is_zero(float x) { return is_none(magnitude_of(x)); }

float quiet_nan() { return uintBitsToFloat(0x7FC00000u); }
float positive_infinity() { return uintBitsToFloat(infinity_bits); }

/// |x| with the sign of `of`. Chosen, not joined by bits: of those LLVM makes a copysign, and of several of
/// them, one in either branch, code for AVX-512 that takes the wrong operand (LLVM 19, in lavapipe).
float with_sign(float x, float of) {
  return uintBitsToFloat(sign_of(of) != 0u ? floatBitsToUint(x) | 0x80000000u : magnitude_of(x));
}

/// 2^n for n in [-126, 127].
float power_of_two(int n) { return uintBitsToFloat(uint(n + 127) << 23); }

/// x 2^n rounded once, for |x| in [2^-20, 2^60] or so (0, infinity and NaN too) and any n.
precise float scale(float x, int n) {
  const int kept = clamp(n, -252, 254), first = kept >> 1;
  return x * power_of_two(first) * power_of_two(kept - first);
}

/// The significand in [1, 2) of a finite magnitude that is not 0, and its exponent.
/// Subnormals are shifted as integers: a device may read them as 0.
float significand(uint magnitude, out int exponent) {
  int shift = 0;
  if (magnitude < 0x00800000u) {
    shift = 23 - findMSB(magnitude);
    magnitude <<= shift;
  }
  exponent = max(int(magnitude >> 23), 1) - 127 - shift;
  return uintBitsToFloat(magnitude & 0x007FFFFFu | 0x3F800000u);
}
float significand_of(float x, out int exponent) { return significand(magnitude_of(x), exponent); }
bool is_subnormal(float x) { return magnitude_of(x) - 1u < 0x007FFFFFu; }

/// a / b within 1.5 ulp (0.5 with a fused fma), for finite a and |b| in [2^-120, 2^120].
precise float quotient(float a, float b) {
  const float q = a / b;
  return q + fma(-q, b, a) / b;
}

/// a / b within 1.5 ulp for all operands.
float divide(float a, float b) {
  const uint x = magnitude_of(a), y = magnitude_of(b), sign = sign_of(a) ^ sign_of(b);
  if (x > infinity_bits || y > infinity_bits) return quiet_nan();
  const bool no_x = is_none(x), no_y = is_none(y);
  if (x == infinity_bits || no_y) return x == y ? quiet_nan() : uintBitsToFloat(sign | infinity_bits);
  if (no_x || y == infinity_bits) return uintBitsToFloat(sign);
  int up, down;
  const float m = significand(x, up), n = significand(y, down);
  return uintBitsToFloat(floatBitsToUint(scale(quotient(m, n), up - down)) | sign);
}

/// sqrt(m) within 1 ulp for m in [1, 4).
precise float root_of_significand(float m) {
  const float s = sqrt(m);
  return s + fma(-s, s, m) * (0.5 / s);
}

/// The square root within 1 ulp; -0 gives -0.
float square_root(float x) {
  const uint bits = floatBitsToUint(x);
  if (is_zero(x) || bits == infinity_bits) return x;
  if (bits > infinity_bits) return quiet_nan();
  int exponent;
  const float m = significand(bits, exponent);
  const int odd = exponent & 1;
  return scale(root_of_significand(odd == 1 ? 2.0 * m : m), (exponent - odd) / 2);
}

precise float inverse_root_of_normal(float m) {
  const float r = inversesqrt(m), h = m * r;
  return r + 0.5 * r * fma(-h, r, 1.0);
}

/// 1 / sqrt(x) within 1.5 ulp; a zero gives an infinity of its sign.
float inverse_square_root(float x) {
  const uint bits = floatBitsToUint(x);
  if (bits - 0x00800000u < 0x7F000000u) return inverse_root_of_normal(x);
  if (is_zero(x)) return uintBitsToFloat(infinity_bits | sign_of(x));
  if (bits > infinity_bits) return quiet_nan();
  if (bits == infinity_bits) return 0.0;
  int exponent;
  const float m = significand(bits, exponent);
  const int odd = exponent & 1;
  return scale(inverse_root_of_normal(odd == 1 ? 2.0 * m : m), (odd - exponent) / 2);
}

/// Integers in the order of the floats, subnormals among them; -0 comes before +0.
int order_of(float x) {
  const int bits = floatBitsToInt(x);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

/// The greater and the smaller of two; NaN if either is.
float maximum(float a, float b) { return is_nan(a) || is_nan(b) ? quiet_nan() : order_of(a) < order_of(b) ? b : a; }
float minimum(float a, float b) { return is_nan(a) || is_nan(b) ? quiet_nan() : order_of(b) < order_of(a) ? b : a; }

/// x with its lower 12 bits cleared: its square is exact.
float upper_half(float x) { return uintBitsToFloat(floatBitsToUint(x) & 0xFFFFF000u); }

// A vec2 is a sum of two floats: .x the float nearest to it, .y the rest.

/// a + b exactly, for |a| >= |b| or a = 0.
precise vec2 sum_of_ordered(float a, float b) {
  const float s = a + b;
  return vec2(s, b - (s - a));
}

/// a b exactly, in products of 12-bit halves: fma may be two roundings.
precise vec2 product_of(float a, float b) {
  const float p = a * b, a1 = upper_half(a), b1 = upper_half(b), a0 = a - a1, b0 = b - b1;
  return vec2(p, ((a1 * b1 - p) + a1 * b0 + a0 * b1) + a0 * b0);
}

#if defined(VARIANT_f64) || defined(VARIANT_c128)
// Functions of doubles are within the device's own bounds: 2.5 ulp for division, 1.5 for roots.

uvec2 magnitude_of(double x) { return unpackDouble2x32(x) & uvec2(0xFFFFFFFFu, magnitude_bits); }
bool is_nan(double x) {
  const uvec2 m = magnitude_of(x);
  return m.y > 0x7FF00000u || (m.y == 0x7FF00000u && m.x != 0u);
}
bool is_infinite(double x) { return magnitude_of(x) == uvec2(0u, 0x7FF00000u); }
bool is_zero(double x) { return magnitude_of(x) == uvec2(0u); }
bool is_subnormal(double x) { return magnitude_of(x).y < 0x00100000u && !is_zero(x); }
uint sign_of(double x) { return unpackDouble2x32(x).y & 0x80000000u; }

double double_nan() { return packDouble2x32(uvec2(0u, 0x7FF80000u)); }
double double_infinity() { return packDouble2x32(uvec2(0u, 0x7FF00000u)); }
double with_sign(double x, uint sign) { return packDouble2x32(magnitude_of(x) | uvec2(0u, sign)); }
double with_sign(double x, double of) { return with_sign(x, sign_of(of)); }

/// 2^n for n in [-1022, 1023].
double double_power_of_two(int n) { return packDouble2x32(uvec2(0u, uint(n + 1023) << 20)); }

/// x 2^n rounded once, for |x| in [2^-20, 2^60] or so (0, infinity and NaN too) and any n.
precise double scale(double x, int n) {
  const int kept = clamp(n, -2044, 2046), first = kept >> 1;
  return x * double_power_of_two(first) * double_power_of_two(kept - first);
}

/// The significand in [1, 2) of |x|, finite and not 0, and its exponent.
double significand_of(double x, out int exponent) {
  uvec2 m = magnitude_of(x);
  int up = 0;
  if (m.y < 0x00100000u) {  // subnormal numbers are shifted as integers: a device may read them as 0
    up = m.y != 0u ? 20 - findMSB(m.y) : 52 - findMSB(m.x);
    m = up < 32 ? uvec2(m.x << up, m.y << up | m.x >> 32 - up) : uvec2(0u, m.x << up - 32);
  }
  exponent = max(int(m.y >> 20), 1) - 1023 - up;
  return packDouble2x32(uvec2(m.x, m.y & 0x000FFFFFu | 0x3FF00000u));
}

/// a / b for finite a and b of ordinary size, b not 0.
precise double quotient(double a, double b) {
  const double q = a / b;
  return q + fma(-q, b, a) / b;
}

double divide(double a, double b) {
  const uint sign = sign_of(a) ^ sign_of(b);
  if (is_nan(a) || is_nan(b)) return double_nan();
  if (is_infinite(a) || is_zero(b))
    return is_infinite(b) || is_zero(a) ? double_nan() : with_sign(double_infinity(), sign);
  if (is_zero(a) || is_infinite(b)) return with_sign(0.0lf, sign);
  if (!is_subnormal(a) && !is_subnormal(b)) return a / b;
  int up, down;
  const double m = significand_of(a, up), n = significand_of(b, down);
  return with_sign(scale(quotient(m, n), up - down), sign);
}

precise double root_of_ordinary(double m) {
  const double s = sqrt(m);
  return s + fma(-s, s, m) * (0.5lf / s);
}

double square_root(double x) {
  if (is_zero(x) || is_nan(x)) return x;
  if (sign_of(x) != 0u) return double_nan();
  if (is_infinite(x)) return x;
  if (magnitude_of(x).y >= 0x10000000u) return root_of_ordinary(x);  // below 2^-767 the square of the root underflows
  int exponent;
  const double m = significand_of(x, exponent);
  const int odd = exponent & 1;
  return scale(root_of_ordinary(odd == 1 ? 2.0lf * m : m), (exponent - odd) / 2);
}

double inverse_square_root(double x) { return divide(1.0lf, square_root(x)); }

bool is_smaller(uvec2 magnitude, uvec2 than) {
  return magnitude.y < than.y || (magnitude.y == than.y && magnitude.x < than.x);
}

/// Whether a comes before b, neither a NaN, by their bits, as order_of() has it for floats.
bool comes_before(double a, double b) {
  if (sign_of(a) != sign_of(b)) return sign_of(a) != 0u;
  return sign_of(a) != 0u ? is_smaller(magnitude_of(b), magnitude_of(a)) : is_smaller(magnitude_of(a), magnitude_of(b));
}

double maximum(double a, double b) { return is_nan(a) || is_nan(b) ? double_nan() : comes_before(a, b) ? b : a; }
double minimum(double a, double b) { return is_nan(a) || is_nan(b) ? double_nan() : comes_before(b, a) ? b : a; }

/// x with its lower 27 bits cleared: its square is exact.
double upper_half(double x) {
  const uvec2 bits = unpackDouble2x32(x);
  return packDouble2x32(uvec2(bits.x & 0xF8000000u, bits.y));
}

// A dvec2 is a sum of two doubles, as a vec2 is of floats.

precise dvec2 sum_of_ordered(double a, double b) {
  const double s = a + b;
  return dvec2(s, b - (s - a));
}

/// a b to 2^-105, in products of halves: fma may be two roundings.
precise dvec2 product_of(double a, double b) {
  const double p = a * b, a1 = upper_half(a), b1 = upper_half(b), a0 = a - a1, b0 = b - b1;
  return dvec2(p, ((a1 * b1 - p) + a1 * b0 + a0 * b1) + a0 * b0);
}
#endif

#endif

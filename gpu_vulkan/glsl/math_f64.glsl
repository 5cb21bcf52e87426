// Exponentials and logarithms of doubles, which Vulkan has none of: within 2 ulp, after the reductions of Cody and
// Waite and of fdlibm (e_exp.c, e_log.c).
#ifndef PLUMB_MATH_F64_GLSL
#define PLUMB_MATH_F64_GLSL

#include "gpu_vulkan/glsl/arithmetic.glsl"

/// 2^n for n in [-1022, 1023].
double double_power_of_two(int n) { return packDouble2x32(uvec2(0u, uint(n + 1023) << 20)); }

/// x 2^n rounded once, for n in [-2044, 2046].
precise double scale(double x, int n) {
  const int first = n >> 1;
  return x * double_power_of_two(first) * double_power_of_two(n - first);
}

/// factor e^x for |x| < 1400, rounded as if e^x had no limit of range; |factor| at most e^-x or so.
precise double exp_times(double x, double factor) {
  const double k = roundEven(x * 1.4426950408889634lf);
  // ln 2 in two pieces, the first of 33 bits: its product with k is exact.
  const double r = fma(-k, 1.9082149292705877e-10lf, fma(-k, 0.69314718036912382lf, x));
  double q = 1.6059043836821613e-10lf;  // Taylor's series to r^13, |r| <= 0.347: the rest is below 2^-57
  q = fma(q, r, 2.0876756987868099e-9lf);
  q = fma(q, r, 2.5052108385441719e-8lf);
  q = fma(q, r, 2.7557319223985893e-7lf);
  q = fma(q, r, 2.7557319223985891e-6lf);
  q = fma(q, r, 2.4801587301587302e-5lf);
  q = fma(q, r, 1.9841269841269841e-4lf);
  q = fma(q, r, 1.3888888888888889e-3lf);
  q = fma(q, r, 8.3333333333333333e-3lf);
  q = fma(q, r, 4.1666666666666667e-2lf);
  q = fma(q, r, 0.16666666666666667lf);
  q = fma(q, r, 0.5lf);
  const double fraction = fma(r * r, q, r);
  return scale(fma(factor, fraction, factor), int(k));
}

precise double expf(double x) {
  if (is_nan(x)) return x;
  if (x > 710.0lf) return double_infinity();
  return x < -746.0lf ? 0.0lf : exp_times(x, 1.0lf);
}

/// ln x = k ln 2 + ln(1 + f), the latter by s = f / (2 + f).
precise double logf(double x) {
  if (is_nan(x) || is_zero(x)) return is_zero(x) ? -double_infinity() : x;
  if (sign_of(x) != 0u) return double_nan();
  if (is_infinite(x)) return x;
  const bool is_small = unpackDouble2x32(x).y < 0x00100000u;
  const uvec2 bits = unpackDouble2x32(is_small ? x * 18014398509481984.0lf : x);  // 2^54
  const uint high = bits.y + (0x3FF00000u - 0x3FE6A09Eu);                         // from √½ on the exponent is one more
  const double k = double(int(high >> 20) - 1023 - (is_small ? 54 : 0));
  const double f = packDouble2x32(uvec2(bits.x, (high & 0x000FFFFFu) + 0x3FE6A09Eu)) - 1.0lf;
  const double s = f / (2.0lf + f), z = s * s;
  double r = 0.14798198605116586lf;
  r = fma(r, z, 0.15313837699209373lf);
  r = fma(r, z, 0.18183572161618050lf);
  r = fma(r, z, 0.22222198432149784lf);
  r = fma(r, z, 0.28571428743662391lf);
  r = fma(r, z, 0.39999999999409419lf);
  r = fma(r, z, 0.66666666666667351lf);
  r = r * z;
  const double half_square = 0.5lf * f * f, low = fma(s, half_square + r, k * 1.9082149292705877e-10lf);
  return k * 0.69314718036912382lf - ((half_square - low) - f);
}

/// x sigmoid(x), as the host has it: x e^x keeps its accuracy where e^x alone is subnormal.
precise double siluf(double x) {
  if (is_nan(x)) return x;
  if (is_infinite(x)) return sign_of(x) != 0u ? double_nan() : x;
  if (x < -800.0lf) return with_sign(0.0lf, sign_of(x));
  const double decay = max(-with_sign(x, 0u), -800.0lf), e = exp_times(decay, 1.0lf);
  return (sign_of(x) != 0u ? exp_times(decay, x) : x) / (1.0lf + e);
}

#endif

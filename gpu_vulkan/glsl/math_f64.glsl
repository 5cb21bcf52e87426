// Exponentials, logarithms and what is made of them, of doubles, which Vulkan has none of: within 4 ulp, after the
// reductions of Cody and Waite and of fdlibm (e_exp.c, e_log.c).
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

// ln 2 in two pieces, the first of 32 bits, so that its product with an exponent is exact.
const double ln2_high = 0.69314718036912382lf, ln2_low = 1.9082149292705877e-10lf;

/// e^x = (1 + result) 2^k for |x| < 1400, |result| < 0.42.
precise double exp_fraction(double x, out double k) {
  k = roundEven(x * 1.4426950408889634lf);
  // Not by fma(), which is not `precise`: a compiler may add its terms in another order.
  const double near = x - k * ln2_high, r = near - k * ln2_low;
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
  return fma(r * r, q, r);
}

/// factor e^x for |x| < 1400, rounded as if e^x had no limit of range; |factor| at most e^-x or so.
precise double exp_times(double x, double factor) {
  double k;
  const double fraction = exp_fraction(x, k);
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
  uvec2 bits = unpackDouble2x32(x);
  int up = 0;
  if (bits.y < 0x00100000u) {  // subnormal numbers are shifted as integers: a device may read them as 0
    up = bits.y != 0u ? 20 - findMSB(bits.y) : 52 - findMSB(bits.x);
    bits = up < 32 ? uvec2(bits.x << up, bits.y << up | bits.x >> 32 - up) : uvec2(0u, bits.x << up - 32);
  }
  const uint high = bits.y + (0x3FF00000u - 0x3FE6A09Eu);  // from the root of 1/2 on the exponent is one more
  const double k = double(int(high >> 20) - 1023 - up);
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
  const double half_square = 0.5lf * f * f, low = fma(s, half_square + r, k * ln2_low);
  return k * ln2_high - ((half_square - low) - f);
}

/// e^x - 1 for x in [-80, 0].
precise double expm1_of_negative(double x) {
  double k;
  const double fraction = exp_fraction(x, k), power = double_power_of_two(int(k));
  const double scaled = power * fraction;
  return scaled + (power - 1.0lf);
}

precise double tanhf(double x) {
  if (is_nan(x)) return x;
  const double a = with_sign(x, 0u);
  if (a > 20.0lf) return with_sign(1.0lf, sign_of(x));
  const double t = expm1_of_negative(-2.0lf * a);
  return with_sign(t / (2.0lf + t), sign_of(x));
}

precise double sigmoidf(double x) {
  if (is_nan(x)) return x;
  const double e = expf(-with_sign(x, 0u));
  return (sign_of(x) != 0u ? e : 1.0lf) / (1.0lf + e);
}

/// erf x: x by a polynomial of x^2 below 1; beyond, 1 - e^(-x^2) r, r = erfc(x) e^(x^2) by one of 1 / (x + 3). Both are
/// Chebyshev's, as of t in [-1, 1].
precise double erff(double x) {
  if (is_nan(x)) return x;
  const double a = with_sign(x, 0u);
  if (a < 1.0lf) {
    const double t = 2.0lf * a * a - 1.0lf;
    double p = -5.16472878942302e-16lf;
    p = fma(p, t, 1.4548169783352384e-14lf);
    p = fma(p, t, -3.7910973708931526e-13lf);
    p = fma(p, t, 9.167606748998164e-12lf);
    p = fma(p, t, -2.03524938661036e-10lf);
    p = fma(p, t, 4.115800597661665e-09lf);
    p = fma(p, t, -7.511569160710623e-08lf);
    p = fma(p, t, 1.2233827383524026e-06lf);
    p = fma(p, t, -1.7537169441492004e-05lf);
    p = fma(p, t, 0.00021751715604160108lf);
    p = fma(p, t, -0.0022854855611440673lf);
    p = fma(p, t, 0.019852496688983708lf);
    p = fma(p, t, -0.1405360890227171lf);
    p = fma(p, t, 0.9654687386698673lf);
    return x * p;
  }
  if (a > 6.0lf) return with_sign(1.0lf, sign_of(x));
  const double t = 14.4lf / (a + 3.0lf) - 2.6lf;
  double r = 6.0857915906870915e-12lf;
  r = fma(r, t, -6.047405945991704e-12lf);
  r = fma(r, t, -2.571511429603255e-10lf);
  r = fma(r, t, 2.6381508985080735e-10lf);
  r = fma(r, t, 1.1339538061744706e-08lf);
  r = fma(r, t, 4.526700764248741e-09lf);
  r = fma(r, t, -5.541274478467714e-07lf);
  r = fma(r, t, -2.4255574719050315e-06lf);
  r = fma(r, t, 1.9563583246137112e-05lf);
  r = fma(r, t, 0.0003316029605764125lf);
  r = fma(r, t, 0.002479314697078186lf);
  r = fma(r, t, 0.012713147695692198lf);
  r = fma(r, t, 0.04969844540339464lf);
  r = fma(r, t, 0.15436117429436919lf);
  r = fma(r, t, 0.20798329133342885lf);
  return with_sign(1.0lf - r * exp_times(-a * a, 1.0lf), sign_of(x));
}

/// x sigmoid(x), as the host has it: x e^x keeps its accuracy where e^x alone is subnormal.
precise double siluf(double x) {
  if (is_nan(x)) return x;
  if (is_infinite(x)) return sign_of(x) != 0u ? double_nan() : x;
  if (x < -800.0lf) return with_sign(0.0lf, sign_of(x));
  const double decay = max(-with_sign(x, 0u), -800.0lf), e = exp_times(decay, 1.0lf);
  return (sign_of(x) != 0u ? exp_times(decay, x) : x) / (1.0lf + e);
}

/// ln(1 + x) for x in [0, 1]: twice the inverse hyperbolic tangent of s = x / (2 + x), by its series to s^35.
precise double log1p_of_unit(double x) {
  const double s = x / (2.0lf + x), square = s * s;
  double q = 0.0lf;
  for (int k = 35; k >= 3; k -= 2) q = (q + 1.0lf / double(k)) * square;
  return 2.0lf * (s + s * q);
}

/// ln(1 + e^x).
precise double softplusf(double x) {
  if (is_nan(x)) return x;
  const double e = log1p_of_unit(expf(-with_sign(x, 0u)));
  return x > 0.0lf ? x + e : e;
}

#endif

// Exponentials, logarithms and what is made of them, of doubles, which Vulkan has none of: within 4 ulp, after the
// reductions of Cody and Waite and of fdlibm (e_exp.c, e_log.c).
#ifndef PLUMB_MATH_F64_GLSL
#define PLUMB_MATH_F64_GLSL

#include "gpu_vulkan/glsl/arithmetic.glsl"

// ln 2 in two pieces, the first of 32 bits, so that its product with an exponent is exact.
const double ln2_high = 0.69314718036912382lf, ln2_low = 1.9082149292705877e-10lf;

/// e^(x + rest) = (1 + result) 2^k for |x| < 1400 and a small rest, |result| < 0.42.
precise double exp_fraction(double x, double rest, out double k) {
  k = roundEven(x * 1.4426950408889634lf);
  // Not by fma(), which is not `precise`: a compiler may add its terms in another order.
  const double near = x - k * ln2_high, r = near - (k * ln2_low - rest);
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
  const double fraction = exp_fraction(x, 0.0lf, k);
  return scale(fma(factor, fraction, factor), int(k));
}

precise double expf(double x) {
  if (is_nan(x)) return x;
  if (x > 710.0lf) return double_infinity();
  return x < -746.0lf ? 0.0lf : exp_times(x, 1.0lf);
}

/// e^x - 1.
precise double expm1f(double x) {
  if (is_nan(x) || is_zero(x)) return x;
  if (x < -40.0lf) return -1.0lf;
  double k;
  const double fraction = exp_fraction(min(x, 710.0lf), 0.0lf, k);
  const int n = int(k);
  if (n == 0) return fraction;
  const double part = n > 60 ? 1.0lf : 1.0lf - double_power_of_two(-n);
  return scale(part + fraction, n);
}

/// ln(1 + f) + k ln 2 for f in [sqrt(1/2) - 1, sqrt(2) - 1], the first by s = f / (2 + f).
precise double log1p_reduced(double f, double k) {
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

/// |x| = (1 + result) 2^k for finite x that is not 0, the result in [sqrt(1/2) - 1, sqrt(2) - 1].
double log_fraction(double x, out int k) {
  const double m = significand_of(x, k);
  if (m <= 1.4142135623730951lf) return m - 1.0lf;
  ++k;
  return 0.5lf * m - 1.0lf;
}

/// ln x.
double logf(double x) {
  if (is_nan(x) || is_zero(x)) return is_zero(x) ? -double_infinity() : x;
  if (sign_of(x) != 0u) return double_nan();
  if (is_infinite(x)) return x;
  int k;
  const double f = log_fraction(x, k);
  return log1p_reduced(f, double(k));
}

/// ln(1 + x).
precise double log1pf(double x) {
  if (is_nan(x) || magnitude_of(x).y < 0x3C800000u) return x;  // below 2^-55
  if (x == -1.0lf) return -double_infinity();
  if (sign_of(x) != 0u && x < -1.0lf) return double_nan();
  if (is_infinite(x)) return x;
  const double u = 1.0lf + x, lost = x >= 1.0lf ? 1.0lf - (u - x) : x - (u - 1.0lf);
  int k;
  const double f = log_fraction(u, k);
  return log1p_reduced(k < 60 ? f + lost * double_power_of_two(-k) : f, double(k));
}

precise double tanhf(double x) {
  if (is_nan(x)) return x;
  const double a = with_sign(x, 0u);
  if (a > 20.0lf) return with_sign(1.0lf, x);
  const double t = expm1f(-2.0lf * a);
  return with_sign(t / (2.0lf + t), x);
}

precise double sigmoidf(double x) {
  if (is_nan(x)) return x;
  const double e = expf(-with_sign(x, 0u));
  return (sign_of(x) != 0u ? e : 1.0lf) / (1.0lf + e);
}

/// factor erfc(a) for a >= 1/2, where a^2 = square + rest, rounded as if erfc(a) had no limit of range: by (1 + 2a)
/// e^(a^2) erfc(a), of which p is Chebyshev's polynomial over all these a.
precise double erfc_times(double a, double square, double rest, double factor) {
  if (a > 28.0lf) return with_sign(0.0lf, factor);
  const double t = 1.0lf - 8.0lf / (a + 3.5lf);
  double p = -1.7947757286823013e-10lf;
  p = fma(p, t, 2.3756049325456406e-10lf);
  p = fma(p, t, 2.2870172106187075e-09lf);
  p = fma(p, t, -3.3239420654915314e-09lf);
  p = fma(p, t, -1.8271002130492727e-08lf);
  p = fma(p, t, 3.449375476008246e-08lf);
  p = fma(p, t, 1.2303648034440946e-07lf);
  p = fma(p, t, -3.6643274598829685e-07lf);
  p = fma(p, t, -6.394086313327843e-07lf);
  p = fma(p, t, 3.941128302513489e-06lf);
  p = fma(p, t, -6.741708816893785e-07lf);
  p = fma(p, t, -3.5843215914802004e-05lf);
  p = fma(p, t, 9.653858164726914e-05lf);
  p = fma(p, t, 8.560021727563335e-05lf);
  p = fma(p, t, -0.0014437072468286294lf);
  p = fma(p, t, 0.005825997266753256lf);
  p = fma(p, t, -0.015249159010232022lf);
  p = fma(p, t, 0.02932116930900335lf);
  p = fma(p, t, -0.04121457191364261lf);
  p = fma(p, t, 0.034816131768506065lf);
  p = fma(p, t, 0.012843991297819149lf);
  p = fma(p, t, -0.1215174220937228lf);
  p = fma(p, t, 1.224848042738414lf);
  double k;
  const double fraction = exp_fraction(-square, -rest, k), r = factor * (p / (1.0lf + 2.0lf * a));
  return scale(fma(r, fraction, r), int(k));
}

/// erf x for |x| <= 1: x by a polynomial of x^2, Chebyshev's.
precise double erf_of_unit(double x) {
  const double t = 2.0lf * x * x - 1.0lf;
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

precise double erff(double x) {
  if (is_nan(x) || is_zero(x)) return x;
  if (is_subnormal(x)) {  // x 2 / sqrt(pi), which may be a normal number
    int exponent;
    const double m = significand_of(x, exponent);
    return with_sign(scale(m * 1.1283791670955126lf, exponent), x);
  }
  const double a = with_sign(x, 0u);
  if (a < 1.0lf) return erf_of_unit(x);
  return with_sign(a > 6.0lf ? 1.0lf : 1.0lf - erfc_times(a, a * a, 0.0lf, 1.0lf), x);
}

// The whole numbers beside a double, made of its bits: what a driver makes of its own roundEven() and trunc() of it is
// not always right (lavapipe may round 1.5 to 1), and a device may read a subnormal number as 0.

int binary_exponent_of(double x) { return int(magnitude_of(x).y >> 20) - 1023; }
bool has_fraction(double x, double whole) { return any(notEqual(unpackDouble2x32(x), unpackDouble2x32(whole))); }

/// x without its fraction, its sign kept; infinity and NaN as they are.
double whole_part(double x) {
  const uvec2 bits = unpackDouble2x32(x);
  const int exponent = binary_exponent_of(x);
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
  const int exponent = binary_exponent_of(x);
  const double whole = whole_part(x);
  if (exponent < -1 || exponent >= 52) return whole;
  const double size = with_sign(whole, 0u), half_size = 0.5lf * size, rest = with_sign(x, 0u) - size;
  const bool is_odd = has_fraction(half_size, whole_part(half_size));
  return rest > 0.5lf || (rest == 0.5lf && is_odd) ? with_sign(size + 1.0lf, x) : whole;
}

#endif

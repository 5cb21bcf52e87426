// x^y of doubles, with log2 x in two words, as in power.glsl; the remainder is in fmod_f64.glsl.
#ifndef PLUMB_POWER_F64_GLSL
#define PLUMB_POWER_F64_GLSL

#include "gpu_vulkan/glsl/math_f64.glsl"

precise dvec2 product_of(dvec2 a, dvec2 b) {
  const dvec2 p = product_of(a.x, b.x);
  return sum_of_ordered(p.x, p.y + (a.x * b.y + a.y * b.x));
}

/// log2 of |x|, finite and not 0; relative error below 2^-63.
precise dvec2 log2_of(double x) {
  int k;
  double m = significand_of(x, k);
  if (m > 1.4142135623730951lf) {
    m *= 0.5lf;
    ++k;
  }
  // ln m = 2 (s + s^3 (1/3 + s^2/5 + ...)) with s = (m - 1) / (m + 1), |s| < 0.172
  const double f = m - 1.0lf, d = m + 1.0lf, d_rest = m - (d - 1.0lf);
  const double s1 = f / d;
  const dvec2 back = product_of(s1, d);
  const dvec2 s = sum_of_ordered(s1, (((f - back.x) - back.y) - s1 * d_rest) / d);
  const dvec2 z = product_of(s, s);
  double q = 0.03225806451612903lf;  // the series to s^31, of which the rest is below 2^-70
  q = fma(q, z.x, 0.034482758620689655lf);
  q = fma(q, z.x, 0.037037037037037035lf);
  q = fma(q, z.x, 0.04lf);
  q = fma(q, z.x, 0.043478260869565216lf);
  q = fma(q, z.x, 0.047619047619047616lf);
  q = fma(q, z.x, 0.05263157894736842lf);
  q = fma(q, z.x, 0.058823529411764705lf);
  q = fma(q, z.x, 0.06666666666666667lf);
  q = fma(q, z.x, 0.07692307692307693lf);
  q = fma(q, z.x, 0.09090909090909091lf);
  q = fma(q, z.x, 0.1111111111111111lf);
  q = fma(q, z.x, 0.14285714285714285lf);
  q = fma(q, z.x, 0.2lf);
  const dvec2 series = sum_of_ordered(0.33333333333333331lf, fma(q, z.x, 1.8503717077085941e-17lf));
  const dvec2 cubic = product_of(product_of(s, z), series);
  const dvec2 head = sum_of_ordered(s.x, cubic.x);
  const dvec2 half_ln = sum_of_ordered(head.x, head.y + (s.y + cubic.y));
  const dvec2 log2 = product_of(half_ln, dvec2(2.8853900817779268lf, 4.0710547481862066e-17lf));  // 2 / ln 2
  const dvec2 whole = sum_of_ordered(double(k), log2.x);
  return sum_of_ordered(whole.x, whole.y + log2.y);
}

/// |x|^y for finite x that is neither 0 nor 1 in magnitude, and finite y.
precise double power_of_magnitude(double x, double y) {
  // Beyond 2^64 the result has left the range, the logarithm of the double nearest 1 being 2^-53.
  const double kept = clamp(y, -18446744073709551616.0lf, 18446744073709551616.0lf);
  const dvec2 l = log2_of(x);
  const dvec2 p = product_of(kept, l.x);
  const double t = clamp(p.x, -1200.0lf, 1200.0lf), n = nearest_whole(t);
  const double rest = t == p.x ? fma(kept, l.y, p.y) : 0.0lf;
  const double r = (t - n) + rest;  // 2^r = e^(r ln 2)
  double more;
  const double fraction = exp_fraction(r * 0.69314718055994529lf, 0.0lf, more);
  return scale(1.0lf + fraction, int(n) + int(more));
}

/// x^y as C99 Annex F has it.
double powf(double x, double y) {
  if (is_zero(y) || x == 1.0lf) return 1.0lf;
  if (is_nan(x) || is_nan(y)) return double_nan();
  const bool grows = sign_of(y) == 0u;
  const double base = with_sign(x, 0u), exponent = with_sign(y, 0u);
  if (is_infinite(y)) return base == 1.0lf ? 1.0lf : (base > 1.0lf) == grows ? double_infinity() : 0.0lf;
  // From 2^53 on every double is whole, and even; below 1 only 0 is, which a device may take subnormals for.
  const bool is_whole = exponent >= 9007199254740992.0lf || (exponent >= 1.0lf && whole_part(y) == y);
  const bool is_odd = is_whole && exponent < 9007199254740992.0lf && whole_part(0.5lf * y) != 0.5lf * y;
  const uint sign = is_odd ? sign_of(x) : 0u;
  const bool no_base = is_zero(x);
  if (no_base || is_infinite(x)) return with_sign(no_base == grows ? 0.0lf : double_infinity(), sign);
  if (sign_of(x) != 0u && !is_whole) return double_nan();
  return with_sign(base == 1.0lf ? 1.0lf : power_of_magnitude(x, y), sign);
}

#endif

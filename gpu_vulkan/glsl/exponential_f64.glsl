// Exponentials of doubles, and what is made of them, for which GLSL has no functions: within 2 ulp, over the whole
// range with infinities and NaN right. The includer includes arithmetic.glsl in a variant f64.
#ifndef PLUMB_EXPONENTIAL_F64_GLSL
#define PLUMB_EXPONENTIAL_F64_GLSL

/// 2^n for n in [-1022, 1023].
double power_of_two_f64(int n) { return packDouble2x32(uvec2(0u, uint(n + 1023) << 20)); }

/// x 2^n rounded once, for x in [2^-20, 2^60] or so and any n.
precise double scale_f64(double x, int n) {
  const int kept = clamp(n, -2044, 2046), first = kept >> 1;
  return x * power_of_two_f64(first) * power_of_two_f64(kept - first);
}

/// e^x = (1 + result) 2^n, |result| < 0.42, for |x| < 2000: the series of e^r - 1 to r^13, whose rest is below 2^-57.
precise double expm1_reduced_f64(double x, out int n) {
  const double k = roundEven(x * 1.4426950408889634lf);
  n = int(k);
  const double near = x - k * 0.693147180369123816490lf;  // exact: the constant has 33 bits
  const double r = near - k * 1.90821492927058770002e-10lf;
  double q = 1.6059043836821614599e-10lf;
  q = q * r + 2.0876756987868098979e-9lf;
  q = q * r + 2.5052108385441718775e-8lf;
  q = q * r + 2.7557319223985890653e-7lf;
  q = q * r + 2.7557319223985890653e-6lf;
  q = q * r + 2.4801587301587301587e-5lf;
  q = q * r + 1.9841269841269841270e-4lf;
  q = q * r + 1.3888888888888888889e-3lf;
  q = q * r + 8.3333333333333333333e-3lf;
  q = q * r + 4.1666666666666666667e-2lf;
  q = q * r + 0.16666666666666666667lf;
  q = q * r + 0.5lf;
  return r + r * r * q;
}

/// e^x. x is not NaN.
precise double exp_f64(double x) {
  int n;
  const double m = expm1_reduced_f64(clamp(x, -1500.0lf, 1500.0lf), n);
  return scale_f64(1.0lf + m, n);
}

/// 1 / (1 + e^-x), in the form of its sign: no intermediate overflows.
precise double sigmoid_f64(double x) {
  if (is_nan(x)) return x;
  const double e = exp_f64(-abs(x));
  return (x >= 0.0lf ? 1.0lf : e) / (1.0lf + e);
}

/// (e^2a - 1) / (e^2a + 1) of a = |x|, which cancels nowhere.
precise double tanh_f64(double x) {
  if (is_nan(x) || is_zero(x)) return x;
  const double a = abs(x);
  if (a > 20.0lf) return with_sign(1.0lf, sign_of(x));
  int n;
  const double m = expm1_reduced_f64(2.0lf * a, n), power = power_of_two_f64(n);
  const double t = power * m + (power - 1.0lf);
  return with_sign(t / (t + 2.0lf), sign_of(x));
}

/// ln(1 + x) for x in [0, 1]: twice the inverse hyperbolic tangent of s = x / (2 + x), by its series to s^35.
precise double log1p_of_unit_f64(double x) {
  const double s = x / (2.0lf + x), square = s * s;
  double q = 0.0lf;
  for (int k = 35; k >= 3; k -= 2) q = (q + 1.0lf / double(k)) * square;
  return 2.0lf * (s + s * q);
}

/// ln(1 + e^x).
precise double softplus_f64(double x) {
  if (is_nan(x)) return x;
  const double e = log1p_of_unit_f64(exp_f64(-abs(x)));
  return x > 0.0lf ? x + e : e;
}

#endif

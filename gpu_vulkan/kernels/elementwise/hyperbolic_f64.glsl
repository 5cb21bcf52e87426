// Hyperbolic functions of doubles but tanh, and the inverse ones, within 4 ulp, in the forms of hyperbolic.glsl.
#ifndef PLUMB_HYPERBOLIC_F64_GLSL
#define PLUMB_HYPERBOLIC_F64_GLSL

#include "gpu_vulkan/glsl/math_f64.glsl"

/// e^a / 2 for a >= 0.
double half_exp(double a) { return exp_times(min(a, 1000.0lf), 0.5lf); }

precise double sinhf(double x) {
  if (is_nan(x)) return x;
  const double a = with_sign(x, 0u);
  if (a > 22.0lf) return with_sign(half_exp(a), x);  // e^-a is below 2^-63 e^a
  const double e = expm1f(a);
  return with_sign(0.5lf * (e + e / (e + 1.0lf)), x);
}

precise double coshf(double x) {
  if (is_nan(x)) return x;
  const double a = with_sign(x, 0u), half_of_exp = half_exp(a);
  return a > 22.0lf ? half_of_exp : half_of_exp + 0.25lf / half_of_exp;
}

precise double asinhf(double x) {
  const double a = with_sign(x, 0u);
  if (is_nan(x) || is_infinite(x) || a < 7.450580596923828e-09lf) return x;  // x - x^3/6
  if (a > 268435456.0lf) return with_sign(logf(a) + 0.69314718055994529lf, x);
  const double square = a * a, root = square_root(1.0lf + square);
  return with_sign(log1pf(a + square / (1.0lf + root)), x);
}

precise double acoshf(double x) {
  if (is_nan(x)) return x;
  if (!(x >= 1.0lf)) return double_nan();
  if (x > 268435456.0lf) return logf(x) + 0.69314718055994529lf;
  const double t = x - 1.0lf;
  return log1pf(t + square_root(fma(t, t, 2.0lf * t)));
}

precise double atanhf(double x) {
  if (is_nan(x)) return x;
  const double a = with_sign(x, 0u);
  if (a > 1.0lf) return double_nan();
  if (a == 1.0lf) return with_sign(double_infinity(), x);
  if (a < 7.450580596923828e-09lf) return x;
  const double twice = 2.0lf * a, left = 1.0lf - a;
  return with_sign(0.5lf * log1pf(a < 0.5lf ? twice + twice * a / left : twice / left), x);
}

#endif

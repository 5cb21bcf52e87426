// Hyperbolic functions but tanh, and the inverse ones, in f32; docs/accuracy.md has their limits.
#ifndef PLUMB_HYPERBOLIC_GLSL
#define PLUMB_HYPERBOLIC_GLSL

#include "gpu_vulkan/glsl/math.glsl"

const float ln_2 = 0.693147182;

precise float sinhf(float x) {
  if (is_nan(x)) return x;
  const float a = abs(x);
  if (a > 9.0) return with_sign(exp_scaled(a, -1), x);  // e^-a is below 2^-25 e^a
  const float e = expm1f(a);
  return with_sign(0.5 * (e + quotient(e, e + 1.0)), x);
}

precise float coshf(float x) {
  if (is_nan(x)) return x;
  const float a = abs(x), half_exp = exp_scaled(a, -1);
  return a > 9.0 ? half_exp : half_exp + quotient(0.25, half_exp);
}

precise float asinhf(float x) {
  const float a = abs(x);
  if (magnitude_of(x) >= infinity_bits || a < 2.44140625e-4) return x;  // NaN, infinity, or x - x^3/6
  if (a > 3.3554432e7) return with_sign(logf(a) + ln_2, x);
  const float square = a * a, root = square_root(1.0 + square);
  return with_sign(log1pf(a + quotient(square, 1.0 + root)), x);
}

precise float acoshf(float x) {
  if (!(x >= 1.0)) return quiet_nan();
  if (x > 3.3554432e7) return logf(x) + ln_2;
  const float t = x - 1.0;
  return log1pf(t + square_root(fma(t, t, 2.0 * t)));
}

precise float atanhf(float x) {
  const float a = abs(x);
  if (magnitude_of(x) > 0x3F800000u) return quiet_nan();  // beyond 1
  if (a == 1.0) return with_sign(positive_infinity(), x);
  if (a < 2.44140625e-4) return x;
  const float twice = 2.0 * a;
  const float z = a < 0.5 ? twice + quotient(twice * a, 1.0 - a) : quotient(twice, 1.0 - a);
  return with_sign(0.5 * log1pf(z), x);
}

#endif

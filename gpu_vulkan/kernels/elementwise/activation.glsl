// Activation functions in f32 (ops.md 3), in the forms in which nothing overflows,
// underflows early or cancels. There are no guards at infinity: where the formula is a
// product of infinity and 0, the result is NaN.
#ifndef PLUMB_ACTIVATION_GLSL
#define PLUMB_ACTIVATION_GLSL

#include "gpu_vulkan/glsl/math.glsl"

/// factor e^x for x <= 0 and |factor| < 2^20 or factor = x, both finite. A compiler that need not keep signs of zeros
/// takes factor * 0.0 for 0.0.
float decayed(float x, float factor) { return x < -125.0 ? with_sign(0.0, factor) : exp_times(x, factor); }

/// x sigmoid(s), where s has the sign of x. Near 0 it is x / 2 less a part that vanishes with s, taken last: gelu_tanhf
/// stands for products, a tanh and a sum, and is held to their limits, as geluf is to those of its own.
precise float gatedf(float x, float s) {
  if (is_nan(x) || floatBitsToUint(x) == infinity_bits) return x;
  if (is_infinite(x)) return quiet_nan();
  int n;
  const float decay = -abs(s), m = expm1_reduced(max(decay, -250.0), 0.0, n), e = scale(1.0 + m, n);
  const bool near = n == 0;  // e is 1 + m
  float part = near ? 0.5 * abs(x) * m : x;
  if (x < 0.0 && !near) part = decay < -125.0 ? 0.0 : scale(fma(x, m, x), n);  // x e, rounded once
  const float q = quotient(part, 1.0 + e);
  return with_sign(near ? 0.5 * x - q : q, x);  // a quotient of -0 is 0
}

/// x sigmoid(x).
float siluf(float x) { return gatedf(x, x); }

/// geluf for |x| > 12.5, infinite or NaN.
precise float far_geluf(float x) {
  if (is_nan(x) || sign_of(x) == 0u) return x;
  if (is_infinite(x)) return quiet_nan();
  const float a = -x, h = upper_half(a);  // x^2 / 2 is taken from x, of which its quotient by sqrt 2 is rounded
  return erfc_times(a * 0.707106781, 0.5 * (h * h), 0.5 * ((a - h) * (a + h)), 0.5 * x);
}

/// x (1 + erf(x / sqrt 2)) / 2 = x e^(-x^2 / 2) r for x < 0, where r = e^(x^2 / 2) erfc(|x| / sqrt 2) / 2
/// is 1 / 2 and a polynomial in v = 1 / (1 + p|x|) - 1 (minimax, relative to the error allowed); no cancellation.
/// It stands for what exporters spell as products, an erf and a sum, and is held to their limits, 3 u |y| near 0
/// (docs/bounds.md): there what is rounded vanishes with x, and is added to x / 2 last.
precise float geluf(float x) {
  if (magnitude_of(x) > 0x41480000u) return far_geluf(x);
  const float p = 0.28125, d = fma(p, abs(x), 1.0), about = 1.0 / d;
  const float v = -p * abs(x) * fma(about, fma(-d, about, 1.0), about);
  float r = 3.96145917e-2;
  r = fma(r, v, 0.102432199);
  r = fma(r, v, -3.22824600e-3);
  r = fma(r, v, -0.198211133);
  r = fma(r, v, 0.118936516);
  r = fma(r, v, 1.07456982);
  r = fma(r, v, 1.74199545);
  r = fma(r, v, 1.41845977);
  const float w = r * v, h = fma(r, v, 0.5);
  float f, power;
  const float m = exp_factor(-0.5 * (x * x), 0, f, power) * f;  // the tail is |x| power (1 + m) h
  const bool near = abs(x) < 0.5;                               // where power is 1, and h (1 + m) is 1/2 + m h + w
  const float y = fma(-abs(x) * power, fma(m, h, near ? w : h), near ? 0.5 * x : max(x, 0.0));
  return uintBitsToFloat(floatBitsToUint(y) | sign_of(x));  // it is y, but for x = -0
}

/// geluf for x that are f16 numbers, for kernels that should wait for memory only: x Φ(x), where Φ(-a) is 2^p, p a
/// polynomial of a. Rounded to f16, subnormal numbers included, it is no further off than half a unit in the last place
/// and 0.1 u |y| (8 + 2x^2), for all of them. Beyond a = 11 or so 2^p is 0, which f16 makes of it.
precise float half_geluf(float x) {
  const float a = abs(x);
  float p = -4.70181156e-8;
  p = fma(p, a, 1.21177936e-6);
  p = fma(p, a, -1.37760535e-5);
  p = fma(p, a, 8.82453969e-5);
  p = fma(p, a, -3.0757059e-4);
  p = fma(p, a, 3.68551227e-5);
  p = fma(p, a, 6.92207599e-3);
  p = fma(p, a, -5.24351075e-2);
  p = fma(p, a, -0.459220201);
  p = fma(p, a, -1.15110445);
  p = max(fma(p, a, -1.0), -127.0);
  const float shift = 12582912.0 + 127.0, k = p + shift, f = p - (k - shift);  // as exp_shifted
  float q = 1.32647273e-3;
  q = fma(q, f, 9.67151299e-3);
  q = fma(q, f, 5.55073358e-2);
  q = fma(q, f, 0.240222424);
  q = fma(q, f, 0.693147004);
  const float tail = fma(q, f, 1.0) * uintBitsToFloat(floatBitsToUint(k) << 23);
  return x * (sign_of(x) != 0u ? tail : 1.0 - tail);
}

/// The tanh form of gelu: x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2.
precise float gelu_tanhf(float x) { return gatedf(x, 1.59576912 * (x + 0.044715 * x * x * x)); }

/// ln(1 + e^x).
precise float softplusf(float x) {
  if (is_nan(x)) return x;
  const float e = log1pf(exp_scaled(-abs(x), 0));
  return x > 0.0 ? x + e : e;
}

/// -ln(1 + e^-x).
precise float log_sigmoidf(float x) {
  if (is_nan(x)) return x;
  const float e = log1pf(exp_scaled(-abs(x), 0));
  return x < 0.0 ? x - e : -e;
}

/// x / (1 + |x|).
precise float softsignf(float x) { return is_infinite(x) ? quiet_nan() : divide(x, 1.0 + abs(x)); }

/// x tanh(softplus(x)).
precise float mishf(float x) {
  if (is_nan(x) || floatBitsToUint(x) == infinity_bits) return x;
  if (is_infinite(x)) return quiet_nan();
  const float e = exp_scaled(-abs(x), 0);
  if (x >= 0.0) return x * quotient(1.0 + 2.0 * e, 1.0 + 2.0 * e + 2.0 * e * e);
  return decayed(x, x) * quotient(e + 2.0, e * e + 2.0 * e + 2.0);
}

/// x clamp(x/6 + 1/2, 0, 1); as (x + 3) / 6, which does not cancel near -3.
precise float hard_swishf(float x) {
  if (is_nan(x) || floatBitsToUint(x) == infinity_bits) return x;
  if (is_infinite(x)) return quiet_nan();
  return x * clamp(quotient(x + 3.0, 6.0), 0.0, 1.0);
}

#endif

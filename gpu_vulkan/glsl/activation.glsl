// Activation functions in f32 (ops.md 3), in the forms in which nothing overflows,
// underflows early or cancels. There are no guards at infinity: where the formula is a
// product of infinity and 0, the result is NaN.
#ifndef PLUMB_ACTIVATION_GLSL
#define PLUMB_ACTIVATION_GLSL

#include "math.glsl"

/// factor e^x for x <= 0 and |factor| < 2^20 or factor = x; NaN for factor = x = -inf.
float decayed(float x, float factor) { return x < -125.0 ? factor * 0.0 : exp_times(x, factor); }

/// x sigmoid(s), where s has the sign of x.
float gatedf(float x, float s) {
  if (is_nan(x)) return x;
  if (floatBitsToUint(x) == 0xFF800000u) return quiet_nan();
  const float decay = -abs(s), e = exp_times(decay, 1.0);
  if (x < 0.0) return quotient(decayed(decay, x), 1.0 + e);
  return is_infinite(x) ? x : quotient(x, 1.0 + e);
}

/// x sigmoid(x).
float siluf(float x) { return gatedf(x, x); }

/// x (1 + erf(x / sqrt 2)) / 2.
precise float geluf(float x) {
  if (is_nan(x) || floatBitsToUint(x) == infinity_bits) return x;
  if (is_infinite(x)) return quiet_nan();
  const float half_x = 0.5 * x, t = x * 0.707106781, b = abs(x), h = upper_half(b);
  if (abs(t) < 0.47) return fma(half_x, t + erf_beyond_x(t), half_x);
  // x^2 / 2 is taken from x, of which t is rounded
  const float tail = erfc_times(abs(t), 0.5 * (h * h), 0.5 * ((b - h) * (b + h)), half_x);
  return x < 0.0 ? tail : x - tail;
}

/// The same by tanh: x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2.
precise float gelu_tanhf(float x) { return gatedf(x, 1.59576912 * (x + 0.044715 * x * x * x)); }

/// ln(1 + e^x).
precise float softplusf(float x) {
  if (is_nan(x)) return x;
  const float e = log1pf(exp_times(-abs(x), 1.0));
  return x > 0.0 ? x + e : e;
}

/// -ln(1 + e^-x).
precise float log_sigmoidf(float x) {
  if (is_nan(x)) return x;
  const float e = log1pf(exp_times(-abs(x), 1.0));
  return x < 0.0 ? x - e : -e;
}

/// x / (1 + |x|).
float softsignf(float x) { return is_infinite(x) ? quiet_nan() : divide(x, 1.0 + abs(x)); }

/// x tanh(softplus(x)).
precise float mishf(float x) {
  if (is_nan(x) || floatBitsToUint(x) == infinity_bits) return x;
  if (is_infinite(x)) return quiet_nan();
  const float e = exp_times(-abs(x), 1.0);
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

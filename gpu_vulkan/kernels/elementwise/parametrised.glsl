// Parts of activation functions with parameters, in f32. Products and sums that are
// stored in 16 bits are rounded to odd, so that they round once. The includer includes
// fused.glsl.
#ifndef PLUMB_PARAMETRISED_GLSL
#define PLUMB_PARAMETRISED_GLSL

#include "gpu_vulkan/glsl/math.glsl"

#ifdef IS_NARROW
const bool is_stored_narrow = true;
float shifted(float x, float by) { return fused(1.0, x, by, true); }
#else
const bool is_stored_narrow = false;
float shifted(float x, float by) { return x + by; }
#endif

/// factor x as it is stored; in integers, as a factor may make a normal number of a subnormal.
float scaled(float x, float factor) { return fused(factor, x, -0.0, is_stored_narrow); }
float scaled_twice(float x, float a, float b) { return scaled(fused(a, x, -0.0, false), b); }

/// Below 2^-27, where e^x - 1 and tanh x are x.
bool is_tiny(float x) { return magnitude_of(x) < 0x32000000u; }

// Signs of numbers (not NaN) are read from their bits: a device may take a subnormal for 0.
bool is_negative(float x) { return sign_of(x) != 0u && !is_zero(x); }
bool is_positive(float x) { return sign_of(x) == 0u && !is_zero(x); }

float unit_clamp(float x) { return is_nan(x) ? x : sign_of(x) != 0u ? 0.0 : x > 1.0 ? 1.0 : x; }

float shrunk(float x, float alpha, float beta) {
  if (order_of(x) < order_of(-alpha)) return shifted(x, beta);
  return order_of(x) > order_of(alpha) ? shifted(x, -beta) : 0.0;
}

/// alpha (e^x - 1).
float eluf(float x, float alpha) { return is_tiny(x) ? scaled(x, alpha) : alpha * expm1f(x); }
float seluf(float x, float alpha, float beta) {
  return is_tiny(x) ? scaled_twice(x, alpha, beta) : beta * (alpha * expm1f(x));
}

/// alpha (e^(x / alpha) - 1); what the quotient lost counts where it is large.
precise float celuf(float x, float alpha) {
  const float t = divide(x, alpha);
  if (is_tiny(t)) return x;
  if (abs(t) < 1.0 || t < -18.0 || t > 80.0 || is_nan(t)) return alpha * expm1f(t);
  const vec2 back = product_of(t, alpha);
  int n;
  const float m = expm1_reduced(t, divide((x - back.x) - back.y, alpha), n);
  return alpha * ((power_of_two(n) - 1.0) + power_of_two(n) * m);
}

/// alpha tanh(beta x).
float scaled_tanhf(float x, float alpha, float beta) {
  const float t = fused(beta, x, -0.0, false);
  return is_tiny(t) ? scaled_twice(x, beta, alpha) : alpha * tanhf(t);
}

/// x sigmoid(alpha x); what the product lost counts where it is large.
precise float swishf(float x, float alpha) {
  const vec2 product = product_of(alpha, x);
  const float s = product.x, lost = abs(s) > 1.0 && abs(s) < 200.0 ? product.y : 0.0;
  const bool is_up = sign_of(s) == 0u;
  if (is_nan(s)) return quiet_nan();
  if (is_infinite(x)) return is_up ? x : quiet_nan();
  if (abs(s) > 200.0) return is_up ? x : with_sign(0.0, x);
  int n;
  const float m = expm1_reduced(-abs(s), is_up ? -lost : lost, n), half_x = 0.5 * x;
  return quotient(is_up ? x : scale(fma(half_x, m, half_x), n + 1), 1.0 + scale(1.0 + m, n));
}

#endif

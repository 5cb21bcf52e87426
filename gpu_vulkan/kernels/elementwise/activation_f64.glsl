// Activation functions of doubles, in the forms of activation.glsl: nothing overflows, underflows early or cancels.
#ifndef PLUMB_ACTIVATION_F64_GLSL
#define PLUMB_ACTIVATION_F64_GLSL

#include "gpu_vulkan/glsl/math_f64.glsl"

/// factor e^x for x <= 0 and a finite factor of ordinary size, or x itself.
double decayed(double x, double factor) { return x < -800.0lf ? with_sign(0.0lf, factor) : exp_times(x, factor); }

/// x sigmoid(s + rest).
precise double gatedf(double x, double s, double rest) {
  if (is_nan(x) || is_nan(s)) return double_nan();
  const bool is_up = sign_of(s) == 0u;
  if (is_infinite(x)) return is_up ? x : double_nan();
  const double decay = -with_sign(s, 0u);
  if (decay < -800.0lf) return is_up ? x : with_sign(0.0lf, x);
  double k;
  const double fraction = exp_fraction(decay, is_up ? -rest : rest, k);
  const double divisor = 1.0lf + scale(1.0lf + fraction, int(k));
  return (is_up ? x : scale(fma(x, fraction, x), int(k))) / divisor;
}

/// x sigmoid(x).
double siluf(double x) { return gatedf(x, x, 0.0lf); }

/// x (1 + erf(x / sqrt 2)) / 2, without cancellation; x^2 / 2 is taken from x, of which its quotient by sqrt 2 is
/// rounded.
precise double geluf(double x) {
  if (is_nan(x)) return x;
  const bool is_up = sign_of(x) == 0u;
  if (is_infinite(x)) return is_up ? x : double_nan();
  const double a = with_sign(x, 0u), scaled = a * 0.70710678118654752lf, half_x = 0.5lf * x;
  if (scaled < 0.5lf) return fma(half_x, erf_of_unit(with_sign(scaled, x)), half_x);
  if (a > 50.0lf) return is_up ? x : with_sign(0.0lf, x);
  const double h = upper_half(a), tail = erfc_times(scaled, 0.5lf * (h * h), 0.5lf * ((a - h) * (a + h)), half_x);
  return is_up ? x - tail : tail;
}

/// The tanh form of gelu: x sigmoid(2t), t = sqrt(2/pi) (x + 0.044715 x^3); what rounding 2t lost counts where it is
/// large.
precise double gelu_tanhf(double x) {
  if (is_nan(x) || with_sign(x, 0u) > 100.0lf) return gatedf(x, with_sign(1000.0lf, x), 0.0lf);
  // 2t = x (linear + cubic x^2), both in two doubles
  const double linear = 1.5957691216057308lf, linear_low = -9.96930880911092e-17lf;
  const double cubic = 0.07135481627260025lf, cubic_low = -4.1218577217431825e-18lf;
  const dvec2 square = product_of(x, x), second = product_of(square.x, cubic);
  const double low = second.y + (square.y * cubic + square.x * cubic_low) + linear_low;
  const double larger = max(linear, second.x), smaller = min(linear, second.x);
  const dvec2 slope = sum_of_ordered(larger, smaller), twice_t = product_of(x, slope.x);
  return gatedf(x, twice_t.x, twice_t.y + x * (slope.y + low));
}

/// ln(1 + e^x).
precise double softplusf(double x) {
  if (is_nan(x)) return x;
  const double e = log1pf(expf(-with_sign(x, 0u)));
  return x > 0.0lf ? x + e : e;
}

/// -ln(1 + e^-x).
precise double log_sigmoidf(double x) {
  if (is_nan(x)) return x;
  const double e = log1pf(expf(-with_sign(x, 0u)));
  return x < 0.0lf ? x - e : -e;
}

/// x / (1 + |x|).
precise double softsignf(double x) { return is_infinite(x) ? double_nan() : divide(x, 1.0lf + with_sign(x, 0u)); }

/// x tanh(softplus(x)).
precise double mishf(double x) {
  if (is_nan(x)) return x;
  const bool is_up = sign_of(x) == 0u;
  if (is_infinite(x)) return is_up ? x : double_nan();
  const double e = expf(-with_sign(x, 0u));
  if (is_up) return x * ((1.0lf + 2.0lf * e) / (1.0lf + 2.0lf * e + 2.0lf * e * e));
  return decayed(x, x) * ((e + 2.0lf) / (e * e + 2.0lf * e + 2.0lf));
}

/// x clamp(x/6 + 1/2, 0, 1); as (x + 3) / 6, which does not cancel near -3, unless a compiler makes it x / 6 + 1/2.
precise double hard_swishf(double x) {
  if (is_nan(x)) return x;
  return is_infinite(x) && x < 0.0lf ? double_nan() : x * clamp((x + 3.0lf) / 6.0lf, 0.0lf, 1.0lf);
}

#endif

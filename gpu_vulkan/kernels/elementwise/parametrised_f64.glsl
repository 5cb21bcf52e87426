// Parts of activation functions with parameters, in f64: the forms of parametrised.glsl.
#ifndef PLUMB_PARAMETRISED_F64_GLSL
#define PLUMB_PARAMETRISED_F64_GLSL

#include "gpu_vulkan/kernels/elementwise/activation_f64.glsl"

/// Where what an argument lost by rounding counts, and is itself in range.
bool is_moderate(double t) { return with_sign(t, 0u) > 1e-10lf && with_sign(t, 0u) < 1000.0lf; }

/// factor x; a device may take a subnormal x for 0, of which a factor may make a normal number.
precise double scaled(double x, double factor) {
  if (!is_subnormal(x)) return factor * x;
  int exponent;
  const double m = significand_of(x, exponent);
  return scale(factor * with_sign(m, x), exponent);
}

/// alpha (e^x - 1), and beta times that.
precise double eluf(double x, double alpha) { return scaled(is_subnormal(x) ? x : expm1f(x), alpha); }
precise double seluf(double x, double alpha, double beta) {
  return is_subnormal(x) ? scaled(x, alpha * beta) : beta * (alpha * expm1f(x));
}

/// alpha (e^(x / alpha) - 1).
precise double celuf(double x, double alpha) {
  const double about = divide(x, alpha);
  if (magnitude_of(about).y < 0x3C800000u) return x;  // below 2^-55; the quotient may be subnormal
  return alpha * expm1f(is_moderate(about) ? quotient(x, alpha) : about);
}

/// alpha tanh(beta x).
precise double scaled_tanhf(double x, double alpha, double beta) {
  return is_subnormal(x) ? scaled(x, alpha * beta) : alpha * tanhf(beta * x);
}

/// x sigmoid(alpha x); what the product lost counts where it is large.
double swishf(double x, double alpha) {
  const dvec2 s = product_of(alpha, x);
  return gatedf(x, s.x, is_moderate(s.x) ? s.y : 0.0lf);
}

#endif

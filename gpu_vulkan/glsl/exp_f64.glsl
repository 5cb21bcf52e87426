// e^x in f64, within 1 ulp: Vulkan has no such function.
#ifndef PLUMB_EXP_F64_GLSL
#define PLUMB_EXP_F64_GLSL

#include "gpu_vulkan/glsl/arithmetic.glsl"

/// 2^n for n in [-1022, 1023].
double power_of_two_f64(int n) { return packDouble2x32(uvec2(0u, uint(n + 1023) << 20)); }

precise double expf(double x) {
  if (is_nan(x)) return x;
  const double kept = clamp(x, -800.0lf, 800.0lf), k = roundEven(kept * 1.4426950408889634lf);
  // ln 2 in two pieces; the first has 32 bits, so that its product with k is exact (Cephes).
  const double r = (kept - k * 0.693145751953125lf) - k * 1.42860682030941723212e-6lf;
  double p = 1.0lf / 6227020800.0lf;  // the series up to r^13 / 13!, for |r| <= ln 2 / 2
  p = p * r + 1.0lf / 479001600.0lf;
  p = p * r + 1.0lf / 39916800.0lf;
  p = p * r + 1.0lf / 3628800.0lf;
  p = p * r + 1.0lf / 362880.0lf;
  p = p * r + 1.0lf / 40320.0lf;
  p = p * r + 1.0lf / 5040.0lf;
  p = p * r + 1.0lf / 720.0lf;
  p = p * r + 1.0lf / 120.0lf;
  p = p * r + 1.0lf / 24.0lf;
  p = p * r + 1.0lf / 6.0lf;
  p = p * r + 0.5lf;
  const int n = int(k), first = n >> 1;
  return ((p * (r * r) + r) + 1.0lf) * power_of_two_f64(first) * power_of_two_f64(n - first);
}

#endif

// The functions of ops.md 1.8 in f32, named as in C, over the whole range with
// infinities, NaN and subnormals right. docs/accuracy.md says how far they may be off. Vulkan's own
// exp, log, tanh and pow are not used: their error grows with the argument.
// Minimax polynomials by Sollya's fpminimax.
#ifndef PLUMB_MATH_GLSL
#define PLUMB_MATH_GLSL

#include "gpu_vulkan/glsl/arithmetic.glsl"

/// e^(x + rest) = (1 + result) 2^n, |result| < 0.42, for |x| < 300 and a small rest.
precise float expm1_reduced(float x, float rest, out int n) {
  const float k = roundEven(x * 1.44269504);
  n = int(k);
  const float near = x - k * 0.693359375;                  // exact: the constant has 9 bits, k has 9
  const float r = near - (k * -2.12194440055e-4 - rest);  // ln 2 - 0.693359375
  float q = 1.99713293e-4;
  q = fma(q, r, 1.39309198e-3);
  q = fma(q, r, 8.33317824e-3);
  q = fma(q, r, 4.16665077e-2);
  q = fma(q, r, 0.166666672);
  q = fma(q, r, 0.5);
  return fma(r * r, q, r);
}

/// factor e^x, rounded as if e^x had no limit of range. x is not NaN.
precise float exp_times(float x, float factor) {
  int n;
  const float m = expm1_reduced(clamp(x, -250.0, 250.0), 0.0, n);
  return scale(fma(factor, m, factor), n);
}

/// 2^up e^x, rounded as if it had no limit of range. x is not NaN. A sum, where fma(1.0, m, 1.0) would do: fma() is
/// never `precise`, and a compiler may add 1 to a part of m first.
precise float exp_scaled(float x, int up) {
  int n;
  const float m = expm1_reduced(clamp(x, -250.0, 250.0), 0.0, n);
  return scale(1.0 + m, n + up);
}

/// e^x.
float expf(float x) { return is_nan(x) ? x : exp_scaled(x, 0); }

/// q and f of 2^up e^x = (1 + q f) power, for x of which that is neither subnormal nor too large. For kernels that
/// should wait for memory only: nothing is converted to an integer, which takes a GPU as long as eight additions;
/// 1.5·2^23 + m holds the whole number m in its low bits.
precise float exp_factor(float x, int up, out float f, out float power) {
  const float shift = 12582912.0 + float(127 + up);
  const float k = fma(x, 1.44269502, shift);
  f = fma(x, 1.92596299e-8, fma(x, 1.44269502, shift - k));  // x / ln 2 = n + f, |f| < 0.501
  power = uintBitsToFloat(floatBitsToUint(k) << 23);
  float q = 1.53456887e-4;
  q = fma(q, f, 1.34000636e-3);
  q = fma(q, f, 9.61849000e-3);
  q = fma(q, f, 5.55032827e-2);
  q = fma(q, f, 0.240226462);
  return fma(q, f, 0.693147182);
}

/// 2^up e^x within 1.5 ulp (and |x| / 2 ulp where fma is two roundings), for such x.
precise float exp_shifted(float x, int up) {
  float f, power;
  const float q = exp_factor(x, up, f, power);
  return fma(q, f, 1.0) * power;
}

/// e^x - 1.
precise float expm1f(float x) {
  if (is_nan(x) || is_zero(x)) return x;
  if (x < -18.0) return -1.0;
  int n;
  const float m = expm1_reduced(min(x, 100.0), 0.0, n);
  if (n == 0) return m;
  const float part = n > 30 ? 1.0 : 1.0 - power_of_two(-n);
  return scale(part + m, n);
}

/// ln(1 + f) + k ln 2 for f in [sqrt(1/2) - 1, sqrt(2) - 1].
precise float log1p_reduced(float f, int k) {
  const float e = float(k);
  float q = 7.03823970e-2;
  q = fma(q, f, -0.115115136);
  q = fma(q, f, 0.116751112);
  q = fma(q, f, -0.124205343);
  q = fma(q, f, 0.142496213);
  q = fma(q, f, -0.166680455);
  q = fma(q, f, 0.200007007);
  q = fma(q, f, -0.249999940);
  q = fma(q, f, 0.333333313);
  const float square = f * f;
  const float rest = fma(square * f, q, e * -2.12194440055e-4);
  return e * 0.693359375 + (f - (0.5 * square - rest));
}

/// ln x.
float logf(float x) {
  const uint bits = floatBitsToUint(x);
  if (is_zero(x)) return -positive_infinity();
  if (bits > infinity_bits) return quiet_nan();
  if (bits == infinity_bits) return x;
  int k;
  float m = significand(bits, k);
  if (m > 1.41421354) {
    m *= 0.5;
    ++k;
  }
  return log1p_reduced(m - 1.0, k);
}

/// ln(1 + x).
precise float log1pf(float x) {
  const uint bits = floatBitsToUint(x);
  if (is_nan(x) || bits == infinity_bits || magnitude_of(x) < 0x33000000u) return x;  // below 2^-25
  if (bits == 0xBF800000u) return -positive_infinity();
  if (x < -1.0) return quiet_nan();
  const float u = 1.0 + x;
  const float lost = x >= 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
  int k;
  float m = significand(floatBitsToUint(u), k);
  if (m > 1.41421354) {
    m *= 0.5;
    ++k;
  }
  const float f = m - 1.0 + (k < 30 ? lost * power_of_two(-k) : 0.0);
  return log1p_reduced(f, k);
}

/// 1 / (1 + e^-x), in the form of its sign: no intermediate overflows.
precise float sigmoidf(float x) {
  if (is_nan(x)) return x;
  const float e = exp_scaled(-abs(x), 0);
  return quotient(x >= 0.0 ? 1.0 : e, 1.0 + e);
}

precise float tanhf(float x) {
  if (is_nan(x)) return x;
  const float a = abs(x);
  if (a < 0.55) {
    const float s = x * x;
    float q = -6.53019827e-3;
    q = q * s + 2.12640148e-2;
    q = q * s - 5.39012887e-2;
    q = q * s + 0.133330643;
    q = q * s - 0.333333313;
    return fma(x, s * q, x);
  }
  if (a > 10.0) return with_sign(1.0, x);
  return with_sign(1.0 - quotient(2.0, exp_scaled(2.0 * a, 0) + 1.0), x);
}

/// factor erfc(a) for a >= 0, where a^2 = square + rest and square has few bits.
/// Rounded as if erfc(a) had no limit of range. The factor is finite.
precise float erfc_times(float a, float square, float rest, float factor) {
  if (a > 12.0) return with_sign(0.0, factor);
  const float q = quotient(a - 4.0, a + 4.0);
  float p = 8.90027150e-4;  // (1 + 2a) e^(a^2) erfc(a)
  p = fma(p, q, 7.02343788e-3);
  p = fma(p, q, -1.59283057e-2);
  p = fma(p, q, 3.63716148e-2);
  p = fma(p, q, -6.66516200e-2);
  p = fma(p, q, 9.38312933e-2);
  p = fma(p, q, -0.100983828);
  p = fma(p, q, 6.80928230e-2);
  p = fma(p, q, 1.53766666e-2);
  p = fma(p, q, -0.139621064);
  p = fma(p, q, 1.23299515);
  int n;
  const float m = expm1_reduced(-square, -rest, n);
  const float r = factor * quotient(p, 1.0 + 2.0 * a);
  return scale(fma(r, m, r), n);
}

/// erf(x) - x for |x| < 0.95.
precise float erf_beyond_x(float x) {
  const float s = x * x;
  float q = 8.22879592e-5;
  q = fma(q, s, -8.10917059e-4);
  q = fma(q, s, 5.19806566e-3);
  q = fma(q, s, -2.68581882e-2);
  q = fma(q, s, 0.112836726);
  q = fma(q, s, -0.376126319);
  q = fma(q, s, 0.128379166);
  return x * q;
}

/// The complement of the error function, with no cancellation in its tail.
precise float erfcf(float x) {
  if (is_nan(x)) return x;
  const float a = abs(x), h = upper_half(a);
  if (a < 0.5) return 1.0 - (x + erf_beyond_x(x));
  const float tail = a > 12.0 ? 0.0 : erfc_times(a, h * h, (a - h) * (a + h), 1.0);
  return x < 0.0 ? 2.0 - tail : tail;
}

/// The error function.
precise float erff(float x) {
  const uint magnitude = magnitude_of(x);
  if (is_nan(x) || is_none(magnitude)) return x;
  if (magnitude < 0x01000000u) {  // x 2 / sqrt(pi), of subnormals too
    int exponent;
    const float m = significand(magnitude, exponent);
    return with_sign(scale(fma(m, 0.128379166, m), exponent), x);
  }
  return abs(x) < 0.94 ? x + erf_beyond_x(x) : with_sign(1.0 - erfcf(abs(x)), x);
}

#endif

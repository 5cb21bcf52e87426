#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace plumb::ref_cpu::kernels {

// Functions for the inner loops of kernels. In float they have no branch and no call,
// so that compilers turn loops over them into vector code (always inline: a call would
// keep the loop scalar); within 1.5 ulp unless stated.
// In double they are the standard library's: the truth has no approximations of ours.

/// e^(x + rest) = (1 + fraction) 2^exponent, |fraction| < 0.42; of NaN some exponent.
struct ReducedExp {
  float fraction;
  std::uint32_t exponent;  ///< modulo 2^32
};

/// For |x| < 300 and a small rest.
[[gnu::always_inline]] inline ReducedExp reduced_exp(float x, float rest = 0) {
  constexpr float shifter = 0x1.8p23f;  // adding it leaves the nearest integer in the low bits
  const float shifted = x * 0x1.715476p+0f + shifter, k = shifted - shifter;
  const float r =
      (x - k * 0x1.63p-1f) - (k * -0x1.bd0106p-13f - rest);  // ln 2 in two pieces; the first product is exact
  float q = 1.99713293e-4f;                                  // minimax of (e^r - 1 - r) / r^2
  q = q * r + 1.39309198e-3f;
  q = q * r + 8.33317824e-3f;
  q = q * r + 4.16665077e-2f;
  q = q * r + 0.166666672f;
  q = q * r + 0.5f;
  return {r + r * r * q, std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(shifter)};
}

/// x 2^n rounded once, for n in [-252, 254].
[[gnu::always_inline]] inline float scale(float x, std::uint32_t n) {
  const std::uint32_t biased = n + 254, half = biased >> 1;
  return x * std::bit_cast<float>(half << 23) * std::bit_cast<float>((biased - half) << 23);
}

/// factor e^x, rounded as if e^x had no limit of range, for |factor| < 2^20 or factor = x;
/// NaN for factor = x = -inf.
[[gnu::always_inline]] inline float exp_times(float x, float factor) {
  const float low = x < -125.0f ? -125.0f : x, kept = low > 170.0f ? 170.0f : low;
  const auto [fraction, exponent] = reduced_exp(kept);
  const float y = scale(factor + factor * fraction, exponent), none = factor * 0.0f;
  return x < -125.0f ? none : y;
}
inline double exp_times(double x, double factor) {
  return x < -700 ? factor * std::exp(x / 2) * std::exp(x / 2) : factor * std::exp(x);
}

[[gnu::always_inline]] inline float exp_of(float x) { return exp_times(x, 1.0f); }
inline double exp_of(double x) { return std::exp(x); }

/// x sigmoid(s) for s of the sign of x; x e^s keeps its accuracy where e^s alone is subnormal.
template <class T>
[[gnu::always_inline]] inline T gated(T x, T s) {
  const T decay = -std::fabs(s), e = exp_of(decay), tail = exp_times(decay, x);
  return (x >= 0 ? x : tail) / (1 + e);
}

template <class T>
[[gnu::always_inline]] inline T sigmoid_of(T x) {
  const T e = exp_of(-std::fabs(x));
  return (x >= 0 ? T(1) : e) / (1 + e);
}

/// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
template <class T>
[[gnu::always_inline]] inline T gelu_tanh_of(T x) {
  constexpr T root = T(0x1.9884533d43651p-1L);  // sqrt(2 / pi)
  return gated(x, 2 * root * (x + T(0.044715L) * x * x * x));
}

/// ln(1 + x) for x in [0, 1].
[[gnu::always_inline]] inline float log1p_of_unit(float x) {
  const bool is_high = x > 0.41421356f;
  const float f = is_high ? 0.5f * (x - 1.0f) : x, k = is_high ? 1.0f : 0.0f;  // 1 + x = 2^k (1 + f)
  float q = 7.03823970e-2f;  // minimax of (log1p(f) - f + f^2 / 2) / f^3
  q = q * f - 0.115115136f;
  q = q * f + 0.116751112f;
  q = q * f - 0.124205343f;
  q = q * f + 0.142496213f;
  q = q * f - 0.166680455f;
  q = q * f + 0.200007007f;
  q = q * f - 0.249999940f;
  q = q * f + 0.333333313f;
  const float square = f * f;
  return k * 0x1.62e430p-1f + (f - (0.5f * square - (square * f * q + k * -0x1.05c610p-29f)));  // ln 2 in two pieces
}
inline double log1p_of_unit(double x) { return std::log1p(x); }

[[gnu::always_inline]] inline float tanh_of(float x) {
  const float s = x * x, a = std::fabs(x);
  float q = -6.53019827e-3f;  // minimax of (tanh(x)/x - 1) / x^2 up to 0.55
  q = q * s + 2.12640148e-2f;
  q = q * s - 5.39012887e-2f;
  q = q * s + 0.133330643f;
  q = q * s - 0.333333313f;
  const float inner = x + x * (s * q);
  const float outer = std::copysign(1.0f - 2.0f / (exp_of(2.0f * a) + 1.0f), x);
  return a < 0.55f ? inner : outer;
}
inline double tanh_of(double x) { return std::tanh(x); }

/// erf(x) - x for |x| < 0.95.
[[gnu::always_inline]] inline float erf_beyond_x(float x) {
  const float s = x * x;
  float q = 8.22879592e-5f;
  q = q * s - 8.10917059e-4f;
  q = q * s + 5.19806566e-3f;
  q = q * s - 2.68581882e-2f;
  q = q * s + 0.112836726f;
  q = q * s - 0.376126319f;
  q = q * s + 0.128379166f;
  return x * q;
}

/// factor erfc(a) for a >= 0, where a^2 = square + rest and square has few bits; within 4 ulp.
[[gnu::always_inline]] inline float erfc_times(float a, float square, float rest, float factor) {
  const float t = a > 12.0f ? 12.0f : a;
  const float q = (t - 4.0f) / (t + 4.0f);
  float p = 8.90027150e-4f;  // minimax of (1 + 2t) e^(t^2) erfc(t)
  p = p * q + 7.02343788e-3f;
  p = p * q - 1.59283057e-2f;
  p = p * q + 3.63716148e-2f;
  p = p * q - 6.66516200e-2f;
  p = p * q + 9.38312933e-2f;
  p = p * q - 0.100983828f;
  p = p * q + 6.80928230e-2f;
  p = p * q + 1.53766666e-2f;
  p = p * q - 0.139621064f;
  p = p * q + 1.23299515f;
  const auto [fraction, exponent] = reduced_exp(a > 12.0f ? -144.0f : -square, a > 12.0f ? 0.0f : -rest);
  const float r = factor * (p / (1.0f + 2.0f * t));
  return scale(r + r * fraction, exponent);
}

/// x with its lower 12 bits cleared: its square is exact.
[[gnu::always_inline]] inline float upper_half(float x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xFFFFF000u);
}

[[gnu::always_inline]] inline float erf_of(float x) {
  const float a = std::fabs(x), h = upper_half(a);
  const float outer = std::copysign(1.0f - erfc_times(a, h * h, (a - h) * (a + h), 1.0f), x);
  return a < 0.94f ? x + erf_beyond_x(x) : outer;
}
inline double erf_of(double x) { return std::erf(x); }

/// x (1 + erf(x / sqrt 2)) / 2, without cancellation where x < 0.
[[gnu::always_inline]] inline float gelu_of(float x) {
  const float half = 0.5f * x, t = x * 0.707106781f, a = std::fabs(t), b = std::fabs(x), h = upper_half(b);
  const float near = half + half * (t + erf_beyond_x(t));
  const float tail = erfc_times(a, 0.5f * (h * h), 0.5f * ((b - h) * (b + h)), half);
  const float low = a > 12.0f ? half * 0.0f : tail, high = a > 12.0f ? x : x - tail;  // -inf gives NaN
  const float far = x < 0 ? low : high;
  return a < 0.47f ? near : far;
}
inline double gelu_of(double x) {
  if (x < -36) return static_cast<double>(0.5L * x * std::erfc(x * -0x1.6a09e667f3bcc908p-1L));  // erfc is subnormal
  return 0.5 * x * std::erfc(x * -0x1.6a09e667f3bcdp-1);
}

}  // namespace plumb::ref_cpu::kernels

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace plumb::ref_cpu::kernels {

/// exp(x) for x <= 0, within 1 ulp down to the subnormals; NaN stays NaN. It has
/// no branch, so that compilers turn loops over it into vector code.
inline float exp_nonpositive(float x) {
  constexpr float shifter = 0x1.8p23f;  // adding it leaves the nearest integer in the low bits
  x = x < -104.0f ? -104.0f : x;        // exp(-104) rounds to 0
  const float shifted = x * 0x1.715476p+0f + shifter, n = shifted - shifter;
  const float r = (x - n * 0x1.63p-1f) - n * -0x1.bd0106p-13f;  // ln 2 in two pieces; the first product is exact
  float p = 0x1.a0d2cep-13f;                                    // Cephes' expf on [-ln 2 / 2, ln 2 / 2]
  p = p * r + 0x1.6e879cp-10f;
  p = p * r + 0x1.1112dap-7f;
  p = p * r + 0x1.5553dcp-5f;
  p = p * r + 0x1.555554p-3f;
  p = p * r + 0.5f;
  p = (p * (r * r) + r) + 1.0f;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(shifter) + 256;
  const std::uint32_t half = exponent >> 1;  // 2^n in two factors, so that subnormal results round once
  return p * std::bit_cast<float>((half - 1) << 23) * std::bit_cast<float>((exponent - half - 1) << 23);
}

inline double exp_nonpositive(double x) { return std::exp(x); }

}  // namespace plumb::ref_cpu::kernels

#pragma once

#include <bit>
#include <cstdint>

namespace plumb::ir {
namespace detail {

/// Rounds a double once, to nearest even, to a 16-bit float with `mantissa`
/// fraction bits and smallest normal exponent `min_exponent`. Overflow gives
/// infinity, NaN stays a quiet NaN.
template <int mantissa, int min_exponent>
constexpr std::uint16_t narrow(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000u);
  const int biased = static_cast<int>(bits >> 52 & 0x7FF);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint32_t infinity = ((1u << (15 - mantissa)) - 1) << mantissa;
  if (biased == 0x7FF) {
    const std::uint32_t quiet = fraction != 0 ? 1u << (mantissa - 1) : 0u;
    return static_cast<std::uint16_t>(sign | infinity | quiet);
  }
  const int exponent = biased - 1023;
  const int field = exponent > min_exponent ? exponent : min_exponent;  // subnormals share the lowest exponent
  const int shift = 52 - mantissa + (field - exponent);
  if (biased == 0 || shift > 54) return sign;  // below half the smallest subnormal
  const std::uint64_t significand = fraction | std::uint64_t{1} << 52;
  std::uint64_t rounded = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1), half = std::uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
  // The implicit bit of `rounded` adds one to the exponent field; a carry out of the fraction does too.
  const std::uint64_t magnitude = (static_cast<std::uint64_t>(field - min_exponent) << mantissa) + rounded;
  return static_cast<std::uint16_t>(sign | (magnitude < infinity ? static_cast<std::uint32_t>(magnitude) : infinity));
}

}  // namespace detail

/// IEEE 754 binary16: storage only, arithmetic is done in float.
struct f16 {
  std::uint16_t bits = 0;

  constexpr f16() = default;
  constexpr explicit f16(double x) : bits(detail::narrow<10, -14>(x)) {}
  constexpr explicit f16(float x) : f16(static_cast<double>(x)) {}
  static constexpr f16 from_bits(std::uint16_t bits) {
    f16 x;
    x.bits = bits;
    return x;
  }

  constexpr explicit operator float() const {
    const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1Fu, fraction = bits & 0x3FFu;
    if (exponent == 0) {  // zero or subnormal: fraction * 2^-24, exact
      const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
      return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t widened = exponent == 0x1F ? 0xFFu : exponent + 112;
    return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
  }
  constexpr explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
  bool operator==(const f16&) const = default;  // of bits, not of values
};

/// bfloat16: the upper half of a float. Storage only.
struct bf16 {
  std::uint16_t bits = 0;

  constexpr bf16() = default;
  constexpr explicit bf16(double x) : bits(detail::narrow<7, -126>(x)) {}
  constexpr explicit bf16(float x) : bf16(static_cast<double>(x)) {}
  static constexpr bf16 from_bits(std::uint16_t bits) {
    bf16 x;
    x.bits = bits;
    return x;
  }

  constexpr explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
  constexpr explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
  bool operator==(const bf16&) const = default;  // of bits, not of values
};

}  // namespace plumb::ir

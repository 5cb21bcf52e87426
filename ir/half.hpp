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

/// The bits of a float rounded to f16, without branches: loops over it become vector code.
constexpr std::uint16_t f16_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x), magnitude = bits & 0x7FFFFFFFu;
  const std::uint32_t normal = (magnitude + 0xFFFu + (magnitude >> 13 & 1u) - (112u << 23)) >> 13;
  // Adding 1/2 leaves the multiple of 2^-24, to nearest even, in the low bits.
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000u;
  const std::uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
  const std::uint32_t beyond = magnitude > 0x7F800000u ? 0x7E00u : 0x7C00u;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | (magnitude < 0x477FF000u ? finite : beyond));
}
constexpr float f16_value(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7FFFu;
  const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);  // exact
  return std::bit_cast<float>(sign | scaled | (magnitude >= 0x7C00u ? 0x7F800000u : 0u));
}

constexpr std::uint16_t bf16_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = bits + 0x7FFFu + (bits >> 16 & 1u), quiet = (bits & 0x80000000u) | 0x7FC00000u;
  return static_cast<std::uint16_t>(((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet : rounded) >> 16);
}

}  // namespace detail

/// IEEE 754 binary16: storage only, arithmetic is done in float.
struct f16 {
  std::uint16_t bits = 0;

  constexpr f16() = default;
  constexpr explicit f16(double x) : bits(detail::narrow<10, -14>(x)) {}
  constexpr explicit f16(float x) : bits(detail::f16_bits(x)) {}
  static constexpr f16 from_bits(std::uint16_t bits) {
    f16 x;
    x.bits = bits;
    return x;
  }

  constexpr explicit operator float() const { return detail::f16_value(bits); }
  constexpr explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
  bool operator==(const f16&) const = default;  // compares bits, not values
};

/// bfloat16: the upper half of a float. Storage only.
struct bf16 {
  std::uint16_t bits = 0;

  constexpr bf16() = default;
  constexpr explicit bf16(double x) : bits(detail::narrow<7, -126>(x)) {}
  constexpr explicit bf16(float x) : bits(detail::bf16_bits(x)) {}
  static constexpr bf16 from_bits(std::uint16_t bits) {
    bf16 x;
    x.bits = bits;
    return x;
  }

  constexpr explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
  constexpr explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
  bool operator==(const bf16&) const = default;  // compares bits, not values
};

}  // namespace plumb::ir

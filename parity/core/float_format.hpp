#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ir/dtype.hpp"
#include "parity/core/lanes.hpp"

namespace plumb::parity::core {

/// The shape of a binary floating-point type: of a part for complex types.
struct FloatFormat {
  int fraction_bits, min_exponent, max_exponent;

  double smallest_normal() const { return std::ldexp(1.0, min_exponent); }

  double largest() const { return std::ldexp(2.0 - std::ldexp(1.0, -fraction_bits), max_exponent); }

  /// From here on, rounding to nearest even gives infinity; for f64 itself infinity.
  double overflow() const { return std::ldexp(2.0, max_exponent) - std::ldexp(1.0, max_exponent - fraction_bits - 1); }

  /// Whether a finite y is one of its numbers.
  bool has(double y) const {
    const double steps = y / ulp(y);
    return steps == std::trunc(steps) && std::abs(y) < overflow();
  }

  /// The spacing around a finite y: at least that of subnormals, at most that of
  /// the largest finite number.
  double ulp(double y) const {
    const int biased = static_cast<int>(std::bit_cast<std::uint64_t>(y) >> 52 & 0x7FF) - 1023;
    const int exponent = biased < min_exponent ? min_exponent : biased > max_exponent ? max_exponent : biased;
    const int place = exponent - fraction_bits;
    if (place < -1022) return std::ldexp(1.0, place);
    return std::bit_cast<double>(static_cast<std::uint64_t>(place + 1023) << 52);
  }
};

/// x rounded to a significand of so many bits, to nearest even.
inline double with_bits(double x, int bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  if (std::abs(x) >= std::numeric_limits<double>::min() && bits > 1 && bits < 53) {
    // To the nearest, half way to even: a carry goes into the exponent, where it belongs.
    const auto stored = std::bit_cast<std::uint64_t>(x);
    const int lost = 53 - bits;
    const std::uint64_t below_half = (std::uint64_t{1} << (lost - 1)) - 1;
    return std::bit_cast<double>((stored + below_half + (stored >> lost & 1)) >> lost << lost);
  }
  const int place = std::ilogb(x) - bits + 1;
  return std::ldexp(std::nearbyint(std::ldexp(x, -place)), place);
}

/// x rounded to f32 toward zero.
inline double truncated_to_f32(double x) {
  const auto near = static_cast<float>(x);
  if (!std::isfinite(near) || std::abs(static_cast<double>(near)) <= std::abs(x)) return near;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(near) - 1);
}

/// FloatFormat::ulp, of which loops become vector code.
class Spacing {
 public:
  explicit Spacing(const FloatFormat& format)
      : least_(format.smallest_normal()),
        most_(std::ldexp(1.0, format.max_exponent)),
        of_one_(std::ldexp(1.0, -format.fraction_bits)) {}

  double at(double y) const {
    const auto power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(y) & 0x7FF0'0000'0000'0000);
    return std::min(std::max(power, least_), most_) * of_one_;
  }
  [[gnu::always_inline]] void at(f64x8& spacing, const f64x8& y) const {
    const auto power = reinterpret_cast<f64x8>(reinterpret_cast<i64x8>(y) & 0x7FF0'0000'0000'0000);
    const f64x8 least = f64x8{} + least_, most = f64x8{} + most_;
    spacing = power < least ? least : power;
    spacing = (most < spacing ? most : spacing) * of_one_;
  }

 private:
  double least_, most_, of_one_;
};

/// The format of a float or complex dtype.
constexpr FloatFormat float_format(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::f16:
      return {10, -14, 15};
    case ir::DType::bf16:
      return {7, -126, 127};
    case ir::DType::f32:
    case ir::DType::c64:
      return {23, -126, 127};
    default:
      return {52, -1022, 1023};
  }
}

/// The dtype in which values of a float or complex dtype are computed (ops.md 1.2), by part.
constexpr ir::DType compute_dtype(ir::DType dtype) {
  const bool wide = dtype == ir::DType::f64 || dtype == ir::DType::c128;
  return wide ? ir::DType::f64 : ir::DType::f32;
}

}  // namespace plumb::parity::core

// Codes of linear quantisers: which numbers they stand for, and which scale an element takes (ops.md 12).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ir/loops.hpp"

namespace plumb::ir::kernels {

/// The meaning of a code: an integer, or a float of 8 or 4 bits, one in each byte. quantize_linear.comp and
/// dequantize_linear.comp know the numbers of the choices.
enum class CodeFormat { integer, e4m3, e5m2, e2m1 };

constexpr auto enum_names(CodeFormat) { return std::array<std::string_view, 4>{"integer", "e4m3", "e5m2", "e2m1"}; }

/// The least and the greatest integer code, of `bits` bits or, for 0, of all that the dtype has.
struct CodeRange {
  std::int64_t least = 0, most = 0;
};
constexpr CodeRange code_range(DType dtype, std::int64_t bits) {
  const std::int64_t width = bits > 0 ? bits : 8 * static_cast<std::int64_t>(info(dtype).bytes);
  const std::int64_t half = std::int64_t{1} << (width - 1);
  return is_signed(dtype) ? CodeRange{-half, half - 1} : CodeRange{0, 2 * half - 1};
}

/// A float of few bits: sign, exponent, fraction.
struct SmallFloat {
  int fraction_bits = 0, least_exponent = 0;  ///< the exponent is that of normal numbers
  int largest = 0;                            ///< the code of the largest finite magnitude
  int beyond = 0;                             ///< that of a magnitude beyond it; the largest where there is none
  int nan = 0;                                ///< that of NaN; the largest magnitude where there is none
  int sign = 0;                               ///< the bit of the sign

  /// The number of a code; bits above the sign say nothing.
  double number(int code) const;
  /// The code nearest to x, the even one of two. What is beyond the largest is the largest where it `saturates`.
  int nearest(double x, bool saturates) const;
};

/// The format of float codes.
SmallFloat small_float(CodeFormat format);

/// Which scale each element takes: the elements of x by their flat indices, the scales by theirs.
struct ScaleMap {
  std::int64_t inner = 1, extent = 1, block = 1;                ///< elements behind the axis, along it, of a block
  std::int64_t outer_step = 0, block_step = 0, inner_step = 0;  ///< from one scale to the next

  bool is_one() const { return outer_step == 0 && block_step == 0 && inner_step == 0; }
  std::int64_t operator()(std::int64_t i) const {
    const std::int64_t place = i / inner;
    return place / extent * outer_step + place % extent / block * block_step + i % inner * inner_step;
  }
};

/// The map where the scales fit: one for all ([] or [1]), one for each place of the axis (block_size 0), or x's shape
/// with one for each block of places; nothing where they do not. Throws Error where it takes the axis and x has none
/// such.
std::optional<ScaleMap> scale_map(const Shape& x, const Shape& scale, std::int64_t axis, std::int64_t block_size);

/// The loops of an op over the elements of in[0] with scales in[1] and, where there are, zero points in[2] of their
/// shape. Along an axis in blocks places count.
std::vector<Loop> scaled_elements(Types in, std::int64_t axis, std::int64_t block_size);

}  // namespace plumb::ir::kernels

// The packed operands that several ops have alike: codes, and side tensors by format (ops.md A.0).
#pragma once

#include "ir/kernels/packed/format.hpp"
#include "ir/op.hpp"

namespace plumb::ir::kernels::packed {

/// The constraints that ops have for their packed operands, in the order of check_operands.
inline constexpr std::array<std::string_view, 4> operand_checks = {
    "codes must be u8 (int8: i8) [.., row bytes], with whole blocks of the format in a row",
    "scales must be given where the format has scales beside its codes, and only there: real ones, of OCP MX u8",
    "zero points must be given for int8, uint8, int4 and uint4 alone, and block_size be 0, or more for these and fp8",
    "scales and zero points must have the leading axes of codes, and one element for block_size elements of a row"};

/// How codes are read: the attributes of an op with packed operands.
struct Packing {
  Format format = Format::q8_0;
  std::int64_t block_size = 0;
  bool has_scales = false, has_zero_points = false;

  bool operator==(const Packing&) const = default;
};

/// The constraint of products for x that is codes: what scales these have, and of which dtype the results are.
inline constexpr std::string_view x_scales_check =
    "x must be codes (i8) where has_x_scales, and only there; x_scales must have its leading axes, one element for 32 "
    "elements of a row, and the dtype in which results are computed";

/// The elements of a row of x that share a scale, where x is codes.
inline constexpr std::int64_t x_scale_block = 32;

/// The shape of the scales of x.
inline Shape x_scale_shape(Shape x) {
  x.back() = (x.back() + x_scale_block - 1) / x_scale_block;
  return x;
}

/// Holds codes x and their scales to constraint C`number`; results are `out`. `scales` is null where there are none.
template <class T>
void check_x_scales(const T& op, int number, const TensorType& x, const TensorType* scales, DType out) {
  check(op, number, (x.dtype == DType::i8) == (scales != nullptr), "x is ", x, ", has_x_scales is ",
        scales != nullptr ? "true" : "false");
  if (scales == nullptr) return;
  check(op, number, scales->shape == x_scale_shape(x.shape) && (scales->dtype == DType::f64) == (out == DType::f64),
        "x is ", x, ", x_scales are ", *scales, ", results ", out);
}

/// The elements of a row of codes.
inline std::int64_t row_elements(Format format, const Shape& codes) {
  const Layout block = layout(format);
  return codes[codes.size() - 1] / block.bytes * block.elements;
}

/// The shape of the elements, and that of scales and zero points.
inline Shape element_shape(const Packing& packing, const Shape& codes) {
  Shape shape = codes;
  shape.back() = row_elements(packing.format, codes);
  return shape;
}
inline Shape scale_shape(const Packing& packing, const Shape& codes) {
  Shape shape = codes;
  shape.back() = scales_of_row(packing.format, packing.block_size, row_elements(packing.format, codes));
  return shape;
}

/// Holds codes, scales and zero points, as many as there are, to constraints C`first` and those behind it, whose texts
/// are operand_checks.
template <class T>
void check_operands(const T& op, int first, const Packing& packing, Types in) {
  const auto [format, block_size, has_scales, has_zero_points] = packing;
  const auto scales = layout(format).scales;
  require(in[0].shape.empty() || in[0].shape.back() < std::int64_t{1} << 60, "codes are ", in[0],
          ": rows must have fewer than 2^60 bytes");
  const DType codes = format == Format::int8 ? DType::i8 : DType::u8;
  check(op, first, in[0].dtype == codes && in[0].shape.rank() > 0 && in[0].shape.back() % layout(format).bytes == 0,
        "format is ", enum_names(format)[static_cast<std::size_t>(format)], ", codes are ", in[0]);
  check(op, first + 1, has_scales == (scales != Scales::in_block), "has_scales is ", has_scales ? "true" : "false");
  check(
      op, first + 2,
      (!has_zero_points || scales == Scales::affine) && block_size >= 0 && (block_size == 0 || has_real_scales(format)),
      "block_size is ", block_size);
  if (!has_scales) return;
  const bool is_code = scales == Scales::exponents;
  check(op, first + 1, is_code ? in[1].dtype == DType::u8 : is_float(in[1].dtype), "scales are ", in[1]);
  for (const TensorType& side : in.subspan(1))
    check(op, first + 3, side.shape == scale_shape(packing, in[0].shape), "codes are ", in[0],
          ", scales or zero points ", side);
}

}  // namespace plumb::ir::kernels::packed

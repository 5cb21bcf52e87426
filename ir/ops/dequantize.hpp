// Declares the reading of packed weights as numbers.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/kernels/packed/operands.hpp"

namespace plumb::ir::ops {

using PackedFormat = kernels::packed::Format;
using PackedScales = kernels::packed::Scales;

/// The numbers that packed codes stand for (ops.md 12, ops.md A).
///
///   rounds  formats with scales in their blocks and those of OCP MX once, to f32, and once more to a narrower dtype;
///           the others a difference, a product and the result
///
/// An infinite scale in a block gives NaN where it meets a code of 0. An MX value beyond f32 is infinite.
struct Dequantize {
  PackedFormat format = PackedFormat::q8_0;
  DType dtype = DType::f32;
  std::int64_t block_size = 0;
  bool has_scales = false, has_zero_points = false;

  static constexpr auto name = "dequantize";
  static constexpr auto summary = "packed codes as numbers";
  static constexpr auto formula =
      "y[.., e] by the format (ops.md A): the f32 value of its block, or (code − zero point)·scale, or code·scale";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {
      Input{"codes", DType::u8 | DType::i8, "[.., row bytes]"},
      Input{"scales", dtypes::R | DType::u8, "[.., ceil(K / block_size)]", {}, "has_scales"},
      Input{"zero_points", dtypes::R, "as scales", "scales", "has_zero_points"}};
  static constexpr std::array outputs = {Output{"y", "`dtype` [.., K]"}};
  static constexpr std::array<std::string_view, 5> checks = {
      kernels::packed::operand_checks[0], kernels::packed::operand_checks[1], kernels::packed::operand_checks[2],
      kernels::packed::operand_checks[3], "dtype must be a real one"};
  static constexpr auto fields = std::tuple{
      Field{"format", &Dequantize::format, "how codes are packed", Presence::required},
      Field{"dtype", &Dequantize::dtype, "dtype of y"},
      Field{"block_size", &Dequantize::block_size,
            "elements that share a scale (int8 to uint4, fp8); 0: those of a row"},
      Field{"has_scales", &Dequantize::has_scales, "whether there are scales beside the codes, as the format has it"},
      Field{"has_zero_points", &Dequantize::has_zero_points, "whether there are zero points (int8 to uint4)"},
  };

  kernels::packed::Packing packing() const { return {format, block_size, has_scales, has_zero_points}; }

  TensorTypes infer(Types in) const {
    kernels::packed::check_operands(*this, 1, packing(), in);
    check(*this, 5, is_float(dtype), "dtype is ", dtype);
    return {{dtype, kernels::packed::element_shape(packing(), in[0].shape)}};
  }
  ErrorClass error_class() const {
    if (kernels::packed::has_real_scales(format)) return ErrorClass::ulp;
    return dtype == DType::f16 || dtype == DType::bf16 ? ErrorClass::rounded : ErrorClass::exact;
  }
  Loops loops(Types in, Types) const {
    Loops made{.operands = {{}}};
    if (kernels::packed::has_real_scales(format)) made.rounds = "differences and products are rounded";
    for (std::size_t axis = 0; axis + 1 < in[0].shape.size(); ++axis)
      made.loops.push_back(kernels::along(in, axis, std::vector<Axis>(in.size() - 1, axis)));
    if (kernels::packed::has_real_scales(format))
      made.operands = {{}, kernels::linear_factor, {.role = Role::parameter}};
    made.operands.resize(in.size(), {.role = Role::parameter});
    return made;
  }
  bool operator==(const Dequantize&) const = default;
};

}  // namespace plumb::ir::ops

#pragma once

#include "ir/kernels/linear_codes.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Reals that codes stand for (ops.md 12, ONNX DequantizeLinear-25).
struct DequantizeLinear {
  std::int64_t axis = 1, block_size = 0;
  std::optional<DType> dtype = std::nullopt;
  kernels::CodeFormat code = kernels::CodeFormat::integer;
  bool has_zero_point = false;

  static constexpr auto name = "dequantize_linear";
  static constexpr auto summary = "reals that codes stand for";
  static constexpr auto formula = "y = (q - zero_point)·scale, the difference exact and the product rounded once";
  static constexpr int tier = 3;
  static constexpr DTypes codes = DType::u8 | DType::i8 | DType::u16 | DType::i16 | DType::i32;
  static constexpr std::array inputs = {Input{"q", codes, "[..]"}, Input{"scale", dtypes::R, "[], [C] or blocks"},
                                        Input{"zero_point", codes, "as scale", "q", "has_zero_point"}};
  static constexpr std::array outputs = {Output{"y", "`dtype`, or as scale, [..]"}};
  static constexpr std::array<std::string_view, 5> checks = {
      "scale must be one number, one for each place of the axis or, with a block_size, one for each block of q",
      "q must not be i32 where there is a zero_point", "zero_point must have the shape of scale",
      "dtype must be f16, bf16, f32 or f64", "a float code must be in u8, without zero_point"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &DequantizeLinear::axis, "axis that has several scales"},
      Field{"block_size", &DequantizeLinear::block_size, "places of the axis that share a scale; 0: each has its own"},
      Field{"dtype", &DequantizeLinear::dtype, "dtype of y; absent: that of scale"},
      Field{"code", &DequantizeLinear::code, "a code is an integer, or a float of 8 bits (e4m3, e5m2) or 4 (e2m1)"},
      Field{"has_zero_point", &DequantizeLinear::has_zero_point, "takes the input zero_point: the code of 0"},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, kernels::scale_map(in[0].shape, in[1].shape, axis, block_size).has_value(), "q is ", in[0],
          ", scale is ", in[1], ", axis is ", axis, ", block_size is ", block_size);
    check(*this, 2, in[0].dtype != DType::i32 || !has_zero_point, "q is ", in[0]);
    check(*this, 3, !has_zero_point || in[2].shape == in[1].shape, "scale is ", in[1], ", zero_point is ", in.back());
    check(*this, 4, is_float(dtype.value_or(in[1].dtype)), "dtype is ", dtype.value_or(in[1].dtype));
    check(*this, 5, code == kernels::CodeFormat::integer || (in[0].dtype == DType::u8 && !has_zero_point), "q is ",
          in[0], ", code is ", enum_name(code));
    return {{dtype.value_or(in[1].dtype), in[0].shape}};
  }
  ErrorClass error_class() const { return ErrorClass::ulp; }
  Loops loops(Types in, Types) const {
    return {.loops = kernels::scaled_elements(in, axis, block_size),
            .operands = {{}, {.role = Role::factor, .degree = Degree::linear}, {.role = Role::parameter}}};
  }
  bool operator==(const DequantizeLinear&) const = default;
};

}  // namespace plumb::ir::ops

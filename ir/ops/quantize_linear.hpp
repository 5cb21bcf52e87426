#pragma once

#include "ir/kernels/linear_codes.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Codes of reals over scales (ops.md 12, ONNX QuantizeLinear-25).
struct QuantizeLinear {
  DType dtype = DType::i8;
  std::int64_t axis = 1, block_size = 0;
  std::int64_t bits = 0;
  kernels::CodeFormat code = kernels::CodeFormat::integer;
  bool saturate = true;
  bool has_zero_point = false;

  static constexpr auto name = "quantize_linear";
  static constexpr auto summary = "codes of reals over scales";
  static constexpr auto formula =
      "y = saturate(RNE(x/scale) + zero_point), of NaN the zero point; of a float code the one nearest to x/scale, the "
      "even one of two, and of NaN its NaN, in e2m1 6";
  static constexpr int tier = 3;
  static constexpr DTypes codes = DType::u8 | DType::i8 | DType::u16 | DType::i16;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[..]"}, Input{"scale", dtypes::R, "[], [C] or blocks"},
                                        Input{"zero_point", codes, "as scale", {}, "has_zero_point"}};
  static constexpr std::array outputs = {Output{"y", "`dtype` [..]"}};
  static constexpr std::array<std::string_view, 5> checks = {
      "scale must be one number, one for each place of the axis or, with a block_size, one for each block of x",
      "dtype must be u8, i8, u16 or i16, and zero_point of it", "zero_point must have the shape of scale",
      "bits must be 0, or 2 or 4 of u8 or i8",
      "a float code must be in u8, without bits and zero_point, and saturate unless it is e4m3 or e5m2"};
  static constexpr auto fields = std::tuple{
      Field{"dtype", &QuantizeLinear::dtype, "dtype of y"},
      Field{"axis", &QuantizeLinear::axis, "axis that has several scales"},
      Field{"block_size", &QuantizeLinear::block_size, "places of the axis that share a scale; 0: each has its own"},
      Field{"bits", &QuantizeLinear::bits, "bits of a code; 0: all of the dtype"},
      Field{"code", &QuantizeLinear::code, "a code is an integer, or a float of 8 bits (e4m3, e5m2) or 4 (e2m1)"},
      Field{"saturate", &QuantizeLinear::saturate,
            "beyond the largest code is the largest; false: NaN in e4m3, infinity in e5m2"},
      Field{"has_zero_point", &QuantizeLinear::has_zero_point, "takes the input zero_point: the code of 0"},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, kernels::scale_map(in[0].shape, in[1].shape, axis, block_size).has_value(), "x is ", in[0],
          ", scale is ", in[1], ", axis is ", axis, ", block_size is ", block_size);
    check(*this, 2, codes.contains(dtype) && (!has_zero_point || in[2].dtype == dtype), "dtype is ", dtype,
          has_zero_point ? ", zero_point is " : "", has_zero_point ? cat(in[2]) : "");
    check(*this, 3, !has_zero_point || in[2].shape == in[1].shape, "scale is ", in[1], ", zero_point is ", in.back());
    const bool is_byte = dtype == DType::u8 || dtype == DType::i8;
    check(*this, 4, bits == 0 || (is_byte && (bits == 2 || bits == 4)), "bits is ", bits, ", dtype is ", dtype);
    const bool is_float_code = code != kernels::CodeFormat::integer;
    const bool may_overflow = code == kernels::CodeFormat::e4m3 || code == kernels::CodeFormat::e5m2;
    check(*this, 5,
          (!is_float_code || (dtype == DType::u8 && bits == 0 && !has_zero_point)) && (saturate || may_overflow),
          "code is ", enum_name(code), ", dtype is ", dtype, ", saturate is ", saturate ? "true" : "false");
    return {{dtype, in[0].shape}};
  }
  ErrorClass error_class() const { return ErrorClass::discrete; }
  Loops loops(Types in, Types) const {
    return {.loops = kernels::scaled_elements(in, axis, block_size),
            .operands = {{}, {.role = Role::parameter}, {.role = Role::parameter}},
            .rounds = "a division is rounded"};
  }
  bool operator==(const QuantizeLinear&) const = default;
};

}  // namespace plumb::ir::ops

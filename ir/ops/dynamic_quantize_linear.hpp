#pragma once

#include "ir/loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Codes of 8 bits over a scale and by a zero point that the numbers themselves give (ops.md 12, ONNX
/// DynamicQuantizeLinear-11).
struct DynamicQuantizeLinear {
  static constexpr auto name = "dynamic_quantize_linear";
  static constexpr auto summary = "codes of reals, and the scale and zero point that hold all of them";
  static constexpr auto formula =
      "scale = (hi - lo)/255, 1 where that is 0, with lo = min(0, min x), hi = max(0, max x); zero_point = "
      "saturate(RNE(-lo/scale)), y = saturate(RNE(x/scale) + zero_point), both 0 where scale is not finite";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "u8 [..]"}, Output{"scale", "f64 of f64, else f32, []"},
                                         Output{"zero_point", "u8 []"}};
  static constexpr std::array<std::string_view, 1> checks = {"x must have elements"};
  static constexpr std::tuple<> fields = {};

  TensorTypes infer(Types in) const {
    check(*this, 1, in[0].shape.elements() > 0, "x is ", in[0]);
    const DType computed = in[0].dtype == DType::f64 ? DType::f64 : DType::f32;
    return {{DType::u8, in[0].shape}, {computed, {}}, {DType::u8, {}}};
  }
  ErrorClass error_class() const { return ErrorClass::discrete; }
  Cost cost(Types in, Types) const { return {4 * static_cast<double>(in[0].shape.elements()), 0}; }
  Loops loops(Types, Types) const { return {.rounds = "a division is rounded"}; }
  bool operator==(const DynamicQuantizeLinear&) const = default;
};

}  // namespace plumb::ir::ops

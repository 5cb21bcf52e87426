// Declares the predicates of floats: NaN, infinite, finite.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class FloatClass { is_nan, is_inf, is_positive_inf, is_negative_inf, is_finite };

constexpr auto enum_names(FloatClass) {
  return std::array<std::string_view, 5>{"is_nan", "is_inf", "is_positive_inf", "is_negative_inf", "is_finite"};
}

/// Tests the class of every float, element by element (ops.md 3, ONNX IsNaN and IsInf).
struct Classify {
  FloatClass function = FloatClass::is_nan;

  static constexpr auto name = "classify";
  static constexpr auto summary = "predicates of floats";
  static constexpr auto formula = "y = function(x)";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "bool [shape of x]"}};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{
      Field{"function", &Classify::function, "what is asked", Presence::required},
  };

  TensorTypes infer(Types in) const { return {{DType::boolean, in[0].shape}}; }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Loops loops(Types in, Types out) const { return {.loops = kernels::elementwise(in, out[0].shape)}; }
  bool operator==(const Classify&) const = default;
};

}  // namespace plumb::ir::ops

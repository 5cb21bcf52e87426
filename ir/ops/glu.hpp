// Declares gated linear units, with the function of `unary` that each gate goes through.
#pragma once

#include <cmath>
#include <limits>

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::ir::ops {

enum class GateFunction { silu, gelu, gelu_tanh, sigmoid, relu };

constexpr auto enum_names(GateFunction) {
  return std::array<std::string_view, 5>{"silu", "gelu", "gelu_tanh", "sigmoid", "relu"};
}

/// The function of `unary` that a gate goes through.
constexpr UnaryFunction unary_function(GateFunction function) {
  switch (function) {
    case GateFunction::silu:
      return UnaryFunction::silu;
    case GateFunction::gelu:
      return UnaryFunction::gelu;
    case GateFunction::gelu_tanh:
      return UnaryFunction::gelu_tanh;
    case GateFunction::sigmoid:
      return UnaryFunction::sigmoid;
    case GateFunction::relu:
      break;
  }
  return UnaryFunction::relu;
}

/// The gated linear unit (ops.md 3; Shazeer, "GLU Variants Improve Transformer", 2020; ONNX SwiGLU-28). Special values
/// are those of the product: silu(-inf) is NaN, and relu(-1)·inf is. With silu the sigmoid may take alpha times the
/// gate, gate and value may be limited, and the value shifted behind that, as gpt-oss has it.
struct Glu {
  GateFunction function = GateFunction::silu;
  double alpha = 1;
  double limit = std::numeric_limits<double>::infinity();
  double offset = 0;

  static constexpr auto name = "glu";
  static constexpr auto summary = "gated linear unit: a function of one tensor times another";
  static constexpr auto formula =
      "y = function(gate)·value; silu: y = g·sigmoid(alpha·g)·(clamp(value, -limit, limit) + offset), g = min(gate, "
      "limit), NaN propagates";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"gate", dtypes::R, "[..]"}, Input{"value", dtypes::R, "[..]", "gate"}};
  static constexpr std::array outputs = {Output{"y", "as value"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "gate and value must have one shape", "alpha, limit and offset must be 1, inf and 0 unless function is silu",
      "limit must be at least 0"};
  static constexpr auto fields = std::tuple{
      Field{"function", &Glu::function, "what the gate goes through"},
      Field{"alpha", &Glu::alpha, "silu: factor of the gate in the sigmoid"},
      Field{"limit", &Glu::limit, "silu: largest gate, and largest size of a value"},
      Field{"offset", &Glu::offset, "silu: added to the value"},
  };

  /// Whether nothing but the function is asked for.
  bool is_plain() const { return alpha == 1 && offset == 0 && limit == std::numeric_limits<double>::infinity(); }

  TensorTypes infer(Types in) const {
    check(*this, 1, in[0].shape == in[1].shape, "gate is ", in[0], ", value is ", in[1]);
    check(*this, 2, is_plain() || function == GateFunction::silu, "function is ", enum_name(function), ", alpha is ",
          alpha, ", limit is ", limit, ", offset is ", offset);
    check(*this, 3, limit >= 0, "got ", limit);
    return {in[1]};
  }
  ErrorClass error_class() const {
    switch (function) {
      case GateFunction::relu:
        return ErrorClass::rounded;
      case GateFunction::gelu:
      case GateFunction::gelu_tanh:
        return ErrorClass::comp;  // the allowance grows with the gate
      default:
        return ErrorClass::ulp;
    }
  }
  Loops loops(Types in, Types out) const {
    const bool is_cut = function == GateFunction::relu;
    return {.loops = kernels::elementwise(in, out[0].shape),
            .operands = {{.degree = is_cut ? Degree::homogeneous : Degree::none},
                         is_plain() ? kernels::linear_factor : OperandUse{Role::factor}},
            .rounds = is_cut ? "" : "a function of the gate is rounded"};
  }
  bool operator==(const Glu&) const = default;
};

}  // namespace plumb::ir::ops

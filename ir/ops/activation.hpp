// Declares the activations with parameters, whose defaults readers of other formats write out.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class ActivationFunction {
  leaky_relu,
  elu,
  selu,
  celu,
  swish,
  hard_sigmoid,
  thresholded_relu,
  shrink,
  scaled_tanh
};

constexpr auto enum_names(ActivationFunction) {
  return std::array<std::string_view, 9>{"leaky_relu",       "elu",    "selu",       "celu", "swish", "hard_sigmoid",
                                         "thresholded_relu", "shrink", "scaled_tanh"};
}

/// Activation functions with parameters (ops.md 3). Readers of other formats write their
/// defaults out. NaN gives NaN in every function.
///
///   leaky_relu        x where x >= 0, else alpha·x
///   elu               x where x > 0, else alpha·expm1(x)
///   selu              beta·(x where x > 0, else alpha·expm1(x))
///   celu              x where x > 0, else alpha·expm1(x / alpha)
///   swish             x·sigmoid(alpha·x)
///   hard_sigmoid      clamp(alpha·x + beta, 0, 1)
///   thresholded_relu  x where x > alpha, else 0
///   shrink            x + beta where x < -alpha, x - beta where x > alpha, else 0
///   scaled_tanh       alpha·tanh(beta·x)
struct Activation {
  ActivationFunction function = ActivationFunction::leaky_relu;
  double alpha = 1;
  double beta = 0;

  static constexpr auto name = "activation";
  static constexpr auto summary = "an activation function with parameters";
  static constexpr auto formula = "y = function(x; alpha, beta)";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 1> checks = {"celu must have an alpha other than 0"};
  static constexpr auto fields = std::tuple{
      Field{"function", &Activation::function, "what is computed", Presence::required},
      Field{"alpha", &Activation::alpha, "slope, scale or threshold"},
      Field{"beta", &Activation::beta, "selu: scale; hard_sigmoid, shrink: shift; scaled_tanh: scale of x"},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, function != ActivationFunction::celu || alpha != 0, "alpha is ", alpha);
    return {in[0]};
  }
  ErrorClass error_class() const {
    switch (function) {
      case ActivationFunction::leaky_relu:
      case ActivationFunction::shrink:
        return ErrorClass::rounded;
      case ActivationFunction::thresholded_relu:
        return ErrorClass::exact;
      case ActivationFunction::hard_sigmoid:  // terms of other signs may cancel
        return ErrorClass::comp;
      default:
        return ErrorClass::ulp;
    }
  }
  Loops loops(Types in, Types out) const {
    const bool scales = function == ActivationFunction::leaky_relu;
    return {.loops = kernels::elementwise(in, out[0].shape),
            .operands = {{.degree = scales ? Degree::homogeneous : Degree::none}}};
  }
  bool operator==(const Activation&) const = default;
};

}  // namespace plumb::ir::ops

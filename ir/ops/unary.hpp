// Declares the functions of one element, with the dtypes that each takes and how it is rounded.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class UnaryFunction {
  abs,
  negate,
  sign,
  square,
  reciprocal,
  sqrt,
  rsqrt,
  exp,
  expm1,
  log,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  floor,
  ceil,
  trunc,
  round,
  relu,
  sigmoid,
  silu,
  gelu,
  gelu_tanh,
  softplus,
  softsign,
  mish,
  hard_swish,
  log_sigmoid,
  logical_not,
  bitwise_not,
  conjugate
};

constexpr auto enum_names(UnaryFunction) {
  return std::array<std::string_view, 41>{
      "abs",   "negate",     "sign",        "square",      "reciprocal",  "sqrt",     "rsqrt",
      "exp",   "expm1",      "log",         "log1p",       "sin",         "cos",      "tan",
      "asin",  "acos",       "atan",        "sinh",        "cosh",        "tanh",     "asinh",
      "acosh", "atanh",      "erf",         "floor",       "ceil",        "trunc",    "round",
      "relu",  "sigmoid",    "silu",        "gelu",        "gelu_tanh",   "softplus", "softsign",
      "mish",  "hard_swish", "log_sigmoid", "logical_not", "bitwise_not", "conjugate"};
}

/// The dtypes that a function of `unary` takes (the table of ops.md 3).
constexpr DTypes dtypes_of(UnaryFunction function) {
  constexpr DTypes signed_integers = DType::i8 | DType::i16 | DType::i32 | DType::i64;
  switch (function) {
    case UnaryFunction::abs:
    case UnaryFunction::sign:
      return dtypes::N;
    case UnaryFunction::negate:
      return dtypes::R | signed_integers | dtypes::Z;
    case UnaryFunction::square:
      return dtypes::N | dtypes::Z;
    case UnaryFunction::reciprocal:
    case UnaryFunction::sqrt:
    case UnaryFunction::exp:
    case UnaryFunction::log:
      return dtypes::R | dtypes::Z;
    case UnaryFunction::relu:
      return dtypes::R | signed_integers;
    case UnaryFunction::logical_not:
      return dtypes::B;
    case UnaryFunction::bitwise_not:
      return dtypes::I;
    case UnaryFunction::conjugate:
      return dtypes::Z;
    default:
      return dtypes::R;
  }
}

/// A function of every element (ops.md 3).
///
///   rounds  reals are computed in f32 or f64 and rounded once; docs/accuracy.md has the
///           limit of each function, from exact (abs, floor, relu) to some ulps (mish)
///
/// `negate` flips the sign, of zeros too; `round` takes halves to even; `gelu` is
/// the exact erf form. There are no guards at infinity: silu(-inf) is NaN.
struct Unary {
  UnaryFunction function = UnaryFunction::abs;

  static constexpr auto name = "unary";
  static constexpr auto summary = "a function of every element";
  static constexpr auto formula = "y = function(x)";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 1> checks = {"x must have a dtype of the function"};
  static constexpr auto fields = std::tuple{
      Field{"function", &Unary::function, "what is computed", Presence::required},
  };

  TensorTypes infer(Types in) const {
    const DTypes takes = dtypes_of(function);
    check(*this, 1, takes.contains(in[0].dtype), enum_name(function), " takes ", takes, ", x is ", in[0]);
    return {in[0]};
  }
  ErrorClass error_class() const {
    switch (function) {
      case UnaryFunction::abs:
      case UnaryFunction::negate:
      case UnaryFunction::logical_not:
      case UnaryFunction::bitwise_not:
      case UnaryFunction::conjugate:
        return ErrorClass::bits;
      case UnaryFunction::sign:
      case UnaryFunction::floor:
      case UnaryFunction::ceil:
      case UnaryFunction::trunc:
      case UnaryFunction::round:
      case UnaryFunction::relu:
        return ErrorClass::exact;
      case UnaryFunction::square:
        return ErrorClass::rounded;
      case UnaryFunction::gelu:
      case UnaryFunction::gelu_tanh:
        return ErrorClass::comp;  // the allowance grows with |x|
      default:
        return ErrorClass::ulp;
    }
  }
  bool saturates() const {
    return function == UnaryFunction::tanh || function == UnaryFunction::sigmoid || function == UnaryFunction::erf ||
           function == UnaryFunction::softsign;
  }
  Loops loops(Types in, Types out) const {
    using enum UnaryFunction;
    const bool scales = function == abs || function == relu;
    const Degree degree = function == negate ? Degree::linear : scales ? Degree::homogeneous : Degree::none;
    return {.loops = kernels::elementwise(in, out[0].shape), .operands = {{.degree = degree}}};
  }
  bool operator==(const Unary&) const = default;
};

}  // namespace plumb::ir::ops

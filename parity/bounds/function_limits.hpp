#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "ir/ops/activation.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/unary.hpp"

/// The one table of how far elementwise functions of reals may be off (ops.md 3). The error models of verdicts and the
/// sweeps of tests/ops read it, and docs/accuracy.md is printed from it (`plumb ops --accuracy`).
namespace plumb::parity::bounds {

/// The limit of one function in f32 and f64: ulps · ulp(y) + u |y| (relative + slope · growth) + term.
template <class Function>
struct FunctionLimit {
  Function function;
  std::string_view shader;        ///< the function of the GLSL sources that computes it
  double ulps = 0;                ///< limit in every executor
  double ulps_in_shaders = ulps;  ///< limit in that shader function
  double relative = 0;
  double slope = 0;
  std::string_view growth = "";  ///< a formula, for people; the error model of the op has it as code
  std::string_view term = "";    ///< likewise
};

using UnaryLimit = FunctionLimit<ir::ops::UnaryFunction>;
using BinaryLimit = FunctionLimit<ir::ops::BinaryFunction>;
using ActivationLimit = FunctionLimit<ir::ops::ActivationFunction>;

/// Functions that are absent are said by their error class alone: bits, exact or rounded.
inline constexpr UnaryLimit unary_limits[] = {
    {ir::ops::UnaryFunction::reciprocal, "divide", 2.5, 1.5},
    {ir::ops::UnaryFunction::sqrt, "square_root", 1},
    {ir::ops::UnaryFunction::rsqrt, "inverse_square_root", 2, 1.5},
    {ir::ops::UnaryFunction::exp, "expf", 4},
    {ir::ops::UnaryFunction::expm1, "expm1f", 4},
    {ir::ops::UnaryFunction::log, "logf", 4},
    {ir::ops::UnaryFunction::log1p, "log1pf", 4},
    {ir::ops::UnaryFunction::sin, "sinf", 4},
    {ir::ops::UnaryFunction::cos, "cosf", 4},
    {ir::ops::UnaryFunction::tan, "tanf", 4},
    {ir::ops::UnaryFunction::asin, "asinf", 4},
    {ir::ops::UnaryFunction::acos, "acosf", 4},
    {ir::ops::UnaryFunction::atan, "atanf", 4},
    {ir::ops::UnaryFunction::sinh, "sinhf", 4},
    {ir::ops::UnaryFunction::cosh, "coshf", 4},
    {ir::ops::UnaryFunction::tanh, "tanhf", 4},
    {ir::ops::UnaryFunction::asinh, "asinhf", 4},
    {ir::ops::UnaryFunction::acosh, "acoshf", 4},
    {ir::ops::UnaryFunction::atanh, "atanhf", 4},
    {ir::ops::UnaryFunction::erf, "erff", 4},
    {ir::ops::UnaryFunction::sigmoid, "sigmoidf", 4},
    {ir::ops::UnaryFunction::silu, "siluf", 6},
    {.function = ir::ops::UnaryFunction::gelu, .shader = "geluf", .relative = 8, .slope = 2, .growth = "x²"},
    {.function = ir::ops::UnaryFunction::gelu_tanh,
     .shader = "gelu_tanhf",
     .relative = 8,
     .slope = 8,
     .growth = "√(2/π)·abs(x + 0.044715x³)"},
    {ir::ops::UnaryFunction::softplus, "softplusf", 4},
    {ir::ops::UnaryFunction::softsign, "softsignf", 4},
    {ir::ops::UnaryFunction::mish, "mishf", 8},
    {ir::ops::UnaryFunction::hard_swish, "hard_swishf", 4},
    {ir::ops::UnaryFunction::log_sigmoid, "log_sigmoidf", 4},
};

inline constexpr BinaryLimit binary_limits[] = {
    {ir::ops::BinaryFunction::divide, "divide", 2.5, 1.5},
    {ir::ops::BinaryFunction::power, "powf", 4},
    {ir::ops::BinaryFunction::atan2, "atan2f", 4},
};

inline constexpr ActivationLimit activation_limits[] = {
    {ir::ops::ActivationFunction::elu, "eluf", 4},
    {ir::ops::ActivationFunction::selu, "seluf", 5},
    {.function = ir::ops::ActivationFunction::celu,
     .shader = "celuf",
     .ulps = 6,
     .term = "u·abs(x/alpha)·abs(y + alpha) for x < 0"},
    {.function = ir::ops::ActivationFunction::swish, .shader = "swishf", .ulps = 6, .term = "u·abs(alpha·x)·abs(y)"},
    {.function = ir::ops::ActivationFunction::hard_sigmoid,
     .shader = "unit_clamp",
     .term = "u·(abs(alpha·x) + abs(beta) + abs(y))"},
    {.function = ir::ops::ActivationFunction::scaled_tanh,
     .shader = "scaled_tanhf",
     .ulps = 6,
     .term = "u·abs(alpha·beta·x)"},
};

/// f16 and bf16 are computed in f32 and rounded: so many ulps of theirs, whatever f32 has.
inline constexpr double ulps_of_16_bits = 1;

/// Complex results: units of roundoff at the modulus, for either part.
inline constexpr double units_of_complex_unary = 8;
inline constexpr double units_of_complex_quotient = 16;
/// A part is a sum of two products, whose terms add up to no more than the modulus: two roundings of each.
inline constexpr double units_of_complex_product = 2 + 0x1p-20;

/// The limit of a function; nullptr where its error class says everything.
template <class Function>
constexpr const FunctionLimit<Function>* find_limit(std::span<const FunctionLimit<Function>> limits,
                                                    Function function) {
  const auto found = std::ranges::find(limits, function, &FunctionLimit<Function>::function);
  return found == limits.end() ? nullptr : &*found;
}

constexpr const UnaryLimit* limit_of(ir::ops::UnaryFunction function) {
  return find_limit<ir::ops::UnaryFunction>(unary_limits, function);
}
constexpr const BinaryLimit* limit_of(ir::ops::BinaryFunction function) {
  return find_limit<ir::ops::BinaryFunction>(binary_limits, function);
}
constexpr const ActivationLimit* limit_of(ir::ops::ActivationFunction function) {
  return find_limit<ir::ops::ActivationFunction>(activation_limits, function);
}

}  // namespace plumb::parity::bounds

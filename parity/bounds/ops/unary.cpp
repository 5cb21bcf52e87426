#include "ir/ops/unary.hpp"

#include <cmath>
#include <numbers>

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::UnaryFunction;

/// The table of ops.md 3.
double ulps_of(UnaryFunction function) {
  switch (function) {
    case UnaryFunction::sqrt:
      return 1;
    case UnaryFunction::rsqrt:
      return 2;
    case UnaryFunction::reciprocal:
      return 2.5;
    case UnaryFunction::silu:
      return 6;
    case UnaryFunction::mish:
      return 8;
    case UnaryFunction::gelu:
    case UnaryFunction::gelu_tanh:
      return 0;
    default:
      return 4;
  }
}

Bound gelu(const Node& node) {
  const Real x = node.in[0];
  return both(node.unit() * abs(node.y()) * (2 * square(x) + 8.0));
}

Bound gelu_tanh(const Node& node) {
  const Real x = node.in[0];
  const Real t = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * (x * square(x)));
  return both(node.unit() * abs(node.y()) * (8 * abs(t) + 8.0));
}

}  // namespace

Model error_model(const ir::ops::Unary& op) {
  Model model{.complex_units = 8, .carried = by_difference};
  if (op.error_class() == ir::ErrorClass::ulp || op.error_class() == ir::ErrorClass::comp)
    model.ulps = ulps_of(op.function);
  if (op.function == UnaryFunction::gelu) model.rounding = gelu;
  if (op.function == UnaryFunction::gelu_tanh) model.rounding = gelu_tanh;
  return model;
}

}  // namespace plumb::parity::bounds

#include "ir/ops/unary.hpp"

#include <cmath>
#include <numbers>

#include "parity/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

using F = ir::ops::UnaryFunction;

/// The table of ops.md 3.
double ulps_of(F function) {
  switch (function) {
    case F::sqrt:
      return 1;
    case F::rsqrt:
      return 2;
    case F::reciprocal:
      return 2.5;
    case F::silu:
      return 6;
    case F::mish:
      return 8;
    case F::gelu:
    case F::gelu_tanh:
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
  if (op.function == F::gelu) model.rounding = gelu;
  if (op.function == F::gelu_tanh) model.rounding = gelu_tanh;
  return model;
}

}  // namespace plumb::parity::bounds

// Error model of activations: a limit in ulps, and formulas where parts cancel or a rounded factor is amplified.
#include "ir/ops/activation.hpp"

#include <cmath>

#include "ir/ops/unary.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/function_limits.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Activation& op) {
  using F = ir::ops::ActivationFunction;
  Model model{.carried = by_difference};
  if (const ActivationLimit* const limit = limit_of(op.function)) model.ulps = limit->ulps;
  const double alpha = op.alpha, beta = op.beta;
  switch (op.function) {
    case F::celu:
      model.rounding = [=](const Node& node) {
        const Real below = min(node.in[0], node.builder.constant(0));
        return both(finite_or_zero(node.unit() / std::abs(alpha) * abs(below) * abs(node.y() + alpha)));
      };
      break;
    case F::swish:
      model.rounding = [=](const Node& node) {
        // x·sigmoid(t), t = alpha·x: of a relative error of t the sigmoid takes t·sigmoid(-t).
        const Real t = alpha * node.in[0];
        const Real share = node.builder.apply(ir::ops::Unary{ir::ops::UnaryFunction::sigmoid}, {-1.0 * t});
        return both(finite_or_zero(node.unit() * abs(t) * share * abs(node.y())));
      };
      break;
    case F::scaled_tanh:
      model.rounding = [=](const Node& node) {
        return both(finite_or_zero(by_difference(node, {node.unit() * abs(node.in[0])})));
      };
      break;
    case F::hard_sigmoid:
      model.rounding = [=](const Node& node) {
        const Real line = alpha * node.in[0] + beta;
        const Real e = node.unit() * (finite_or_zero(std::abs(alpha) * abs(node.in[0])) + std::abs(beta));
        const auto clamped = [&](Real t) { return min(max(t, node.builder.constant(0)), node.builder.constant(1)); };
        return both(clamped(line + e) - clamped(line - e) + node.unit() * abs(node.y()));
      };
      break;
    default:  // the ulps say everything, or the error class
      break;
  }
  return model;
}

}  // namespace plumb::parity::bounds

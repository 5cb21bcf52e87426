// Error model of gated linear units: that of the function of the gate, of one product more, and of a gate that is too
// small for the type that is computed in, which a large value shows.
#include "ir/ops/glu.hpp"

#include "ir/ops/activation.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// The loss of a function of the gate that is subnormal, times the value.
Real lost_below_range(const Node& node, Real opened, Real value) {
  return finite_or_zero((may_vanish(opened, node.flushed()) + 8 * node.spacing()) * abs(value));
}

/// Silu with limits, a factor and a shift: of a relative error of t = alpha·g the sigmoid takes t·sigmoid(-t). A value
/// that is flushed counts where a shift hides that it was small.
Bound shaped(const ir::ops::Glu& op, const Node& node) {
  const auto constant = [&](double x) { return node.builder.constant(x); };
  const Real g = min(node.in[0], constant(op.limit)), t = op.alpha * g;
  const Real value = min(max(node.in[1], constant(-op.limit)), constant(op.limit)) + op.offset;
  const Real opened = node.builder.apply(ir::ops::Activation{ir::ops::ActivationFunction::swish, op.alpha}, {g});
  const Real share = node.builder.apply(ir::ops::Unary{ir::ops::UnaryFunction::sigmoid}, {-1.0 * t});
  const Real of_factor = node.unit() * abs(t) * share * abs(node.y());
  return both(finite_or_zero(of_factor + node.flushed() * abs(opened)) + lost_below_range(node, opened, value));
}

}  // namespace

Model error_model(const ir::ops::Glu& op) {
  Model model{.carried = by_difference, .decides_ties = op.function == ir::ops::GateFunction::relu};
  if (op.function == ir::ops::GateFunction::relu) return model;
  if (!op.is_plain()) {
    model.ulps = 10;
    model.rounding = [op](const Node& node) { return shaped(op, node); };
    return model;
  }
  const auto function = ir::ops::unary_function(op.function);
  const UnaryLimit& limit = *limit_of(function);
  if (limit.slope == 0) model.ulps = 8;
  model.rounding = [function, &limit](const Node& node) {
    const Real below = lost_below_range(node, node.builder.apply(ir::ops::Unary{function}, {node.in[0]}), node.in[1]);
    if (limit.slope == 0) return both(below);
    return both(below) + growing(node, limit, node.in[0], limit.relative + 1);
  };
  return model;
}

}  // namespace plumb::parity::bounds

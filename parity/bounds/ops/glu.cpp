// Error model of gated linear units: that of the function of the gate, of one product more, and of a gate that is too
// small for the type that is computed in, which a large value shows.
#include "ir/ops/glu.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// The loss of a function of the gate that is subnormal, times the value.
Real lost_below_range(const Node& node, Real opened) {
  return finite_or_zero((may_vanish(opened, node.flushed()) + 8 * node.spacing()) * abs(node.in[1]));
}

}  // namespace

Model error_model(const ir::ops::Glu& op) {
  Model model{.carried = by_difference, .decides_ties = op.function == ir::ops::GateFunction::relu};
  if (op.function == ir::ops::GateFunction::relu) return model;
  const auto function = ir::ops::unary_function(op.function);
  const UnaryLimit& limit = *limit_of(function);
  if (limit.slope == 0) model.ulps = 8;
  model.rounding = [function, &limit](const Node& node) {
    const Real below = lost_below_range(node, node.builder.apply(ir::ops::Unary{function}, {node.in[0]}));
    if (limit.slope == 0) return both(below);
    return both(below) + growing(node, limit, node.in[0], limit.relative + 1);
  };
  return model;
}

}  // namespace plumb::parity::bounds

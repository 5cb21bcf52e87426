// Error model of norms that a condition modulates: that of norms with 1 + scale for the scale, which is rounded.
#include "ir/ops/ada_norm.hpp"

#include "parity/bounds/norm_terms.hpp"

namespace plumb::parity::bounds {
namespace {

Norm norm_of(const ir::ops::AdaNorm& op, const Node& node) {
  Norm norm = line_norm(node, -1, op.epsilon, true, true);
  norm.scale = node.in[1] + 1.0;
  norm.centred = op.kind == ir::ops::AdaNormKind::layer;
  return norm;
}

}  // namespace

Model error_model(const ir::ops::AdaNorm& op) {
  Model model{.rounding =
                  [op](const Node& node) {
                    const Real of_scale = node.unit() * abs(node.y() - node.in[2]);
                    return norm_errors(node, norm_of(op, node)).y + both(finite_or_zero(of_scale));
                  },
              .carried = [op](const Node& node,
                              const Errors& errors) { return through_norm(node, norm_of(op, node), errors); }};
  model.line = LineAxes{-1};
  return model;
}

}  // namespace plumb::parity::bounds

// Error model of lp normalisation: the relative error of a sum of powers, divided by p.
#include "ir/ops/lp_norm.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::LpNorm& op) {
  Model model{.ulps = 4, .rounding = [op](const Node& node) {
                const ir::Shape& x = node.in[0].shape();
                return (1.0 / static_cast<double>(op.p)) *
                       (abs(node.y()) * positive_sum_error(node, x[x.axis(op.axis)] + 1));
              }};
  model.line = LineAxes{op.axis, op.axis};
  return model;
}

}  // namespace plumb::parity::bounds

// Error model of mean-variance norm, whose epsilon is added to the deviation, not to the variance.
#include "ir/ops/mean_variance_norm.hpp"

#include "parity/bounds/norm_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::MeanVarianceNorm& op) {
  return {.rounding = [op](const Node& node) {
    return norm_errors(
               node, {.x = node.in[0], .axes = op.axes, .epsilon = op.epsilon, .epsilon_outside = true, .y = node.y()})
        .y;
  }};
}

}  // namespace plumb::parity::bounds

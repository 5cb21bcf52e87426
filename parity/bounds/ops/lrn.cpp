// Error model of local response normalisation: beta times the relative error of its base.
#include "ir/ops/lrn.hpp"

#include <algorithm>
#include <cmath>

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Lrn& op) {
  Model model{.ulps = 8, .rounding = [op](const Node& node) {
                if (op.bias < 0 || op.alpha < 0) throw NoModel("lrn with a negative bias or alpha");
                // The terms have one sign, so that the sum's relative error is at most the base's.
                const Bound of_base = positive_sum_error(node, std::min(op.size, node.in[0].shape()[1]) + 3);
                return std::abs(op.beta) * (abs(node.y()) * of_base);
              }};
  model.line = LineAxes{2};
  return model;
}

}  // namespace plumb::parity::bounds

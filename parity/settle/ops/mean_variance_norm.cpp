// Lines of mean-variance norm, over any axes and with epsilon outside of the root.
#include "ir/ops/mean_variance_norm.hpp"

#include "parity/settle/norm_line.hpp"

namespace plumb::parity::settle {

std::optional<Rows> rows(const ir::ops::MeanVarianceNorm& op, const Operation& operation) {
  return normalized_rows(
      operation,
      {.lines = element::terms::Lines(operation.y, op.axes), .epsilon = op.epsilon, .epsilon_outside = true});
}

}  // namespace plumb::parity::settle

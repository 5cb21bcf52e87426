#include "ir/ops/log_softmax.hpp"

#include "ir/ops/reduce.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::LogSoftmax& op) {
  Model model{
      .rounding =
          [op](const Node& node) {
            const double u = node.unit();
            const Real x = node.in[0], y = node.y();
            const Real top = node.builder.apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, {op.axis}, true}, {x});
            const Real depth = abs(x - top);
            const Bound of_sum = both(sum(finite_or_zero(exp(y) * (u * (depth + 8.0))), {op.axis})) +
                                 positive_sum_error(node, x.shape()[x.shape().axis(op.axis)]);
            return both(u * (2 * depth + abs(y) + 4.0)) + of_sum;
          },
      .carried =
          [op](const Node& node, const Errors& errors) {
            return *errors[0] + sum(finite_or_zero(exp(node.y()) * *errors[0]), {op.axis});
          }};
  model.line = LineAxes{op.axis, op.axis};
  return model;
}

}  // namespace plumb::parity::bounds

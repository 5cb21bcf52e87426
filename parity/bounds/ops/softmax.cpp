#include "ir/ops/softmax.hpp"

#include "ir/ops/reduce.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Softmax& op) {
  Model model{
      .rounding =
          [op](const Node& node) {  // ops.md D.6
            const double u = node.unit();
            const Real x = node.in[0], y = node.y();
            const Real top = node.builder.apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, {op.axis}, true}, {x});
            const Real of_term = u * (abs(x - top) + 8.0);
            const Bound of_sum = both(sum(finite_or_zero(y * of_term), {op.axis})) +
                                 positive_sum_error(node, x.shape()[x.shape().axis(op.axis)]);
            return both(finite_or_zero(y * (of_term + 3 * u))) + y * of_sum;
          },
      .carried =
          [op](const Node& node, const Errors& errors) {
            const Real e = *errors[0], y = node.y();
            return y * (e + sum(finite_or_zero(y * e), {op.axis}));
          }};
  model.line = LineAxes{op.axis, op.axis};
  return model;
}

}  // namespace plumb::parity::bounds

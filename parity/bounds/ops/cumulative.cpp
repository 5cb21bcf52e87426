// Error model of running sums and products: chance by the partial sums, certainty by the magnitudes.
#include "ir/ops/cumulative.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Cumulative& op) {
  return {.rounding =
              [op](const Node& node) {
                const Real x = node.in[0], y = node.y();
                const std::int64_t count = x.shape()[x.shape().axis(op.axis)];
                if (op.function == ir::ops::CumulativeFunction::product)
                  return abs(y) * positive_sum_error(node, count);
                if (op.function != ir::ops::CumulativeFunction::sum) return both(node.builder.constant(0));
                const double u = node.unit();
                const auto n = static_cast<double>(count);
                const Real certain = n * u * node.apply({abs(x)}) + u * abs(y);
                const Real random = (n / 3) * square(y) + (n / 6) * node.apply({square(x)});
                ir::ops::Cumulative inclusive = op;
                inclusive.exclusive = false;
                const Real in_order = node.builder.apply(inclusive, {square(y)});
                return Bound{min(node.lambda() * u * sqrt(max(in_order, random)) + u * abs(y), certain), certain};
              },
          .carried = moved};
}

}  // namespace plumb::parity::bounds

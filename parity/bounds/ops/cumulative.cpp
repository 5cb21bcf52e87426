// Error model of running sums and products: chance by the partial sums, certainty by the magnitudes.
#include "ir/ops/cumulative.hpp"

#include "ir/ops/compare.hpp"
#include "ir/ops/where.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::bounds {
namespace {

/// The loss of running products where one on the way is below the smallest normal and kept: half a spacing each, which
/// later factors multiply.
Real lost_on_the_way(const ir::ops::Cumulative& op, const Node& node) {
  ExpressionBuilder& builder = node.builder;
  const double least = core::float_format(core::compute_dtype(node.out_types.at(0).dtype)).smallest_normal();
  ir::ops::Cumulative inclusive = op, running_sum = op;
  inclusive.exclusive = false;
  running_sum.function = ir::ops::CumulativeFunction::sum;
  const Real made = abs(builder.apply(inclusive, {node.in[0]}));
  const Real is_subnormal = builder.apply(ir::ops::Compare{ir::ops::Comparison::less}, {made, builder.constant(least)});
  const Real relative =
      builder.apply(ir::ops::Where{}, {is_subnormal, builder.constant(node.spacing() / 2) / made, builder.constant(0)});
  return finite_or_zero(abs(node.y()) * builder.apply(running_sum, {relative}));
}

Bound of_product(const ir::ops::Cumulative& op, const Node& node, std::int64_t count) {
  const Bound usual = abs(node.y()) * positive_sum_error(node, count);
  return node.flushed() > 0 ? usual : usual + both(lost_on_the_way(op, node));
}

}  // namespace

Model error_model(const ir::ops::Cumulative& op) {
  return {.rounding =
              [op](const Node& node) {
                const Real x = node.in[0], y = node.y();
                const std::int64_t count = x.shape()[x.shape().axis(op.axis)];
                if (op.function == ir::ops::CumulativeFunction::product) return of_product(op, node, count);
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

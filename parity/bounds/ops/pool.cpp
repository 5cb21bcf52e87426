#include "ir/ops/pool.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::PoolFunction;

/// By what each average is divided.
Real divisors(const ir::ops::Pool& op, const Node& node) {
  const Real ones = filled(node.builder.constant(1), node.in[0].shape());
  ir::ops::Pool sums = op;
  sums.function = PoolFunction::sum;
  return node.builder.apply(sums, {ones}) / node.apply({ones});
}

}  // namespace

Model error_model(const ir::ops::Pool& op) {
  std::int64_t taps = 1;
  for (const std::int64_t k : op.kernel_shape) taps *= k;
  Model model{.carried = moved};
  if (op.function == PoolFunction::lp)
    model = {.ulps = 8, .rounding = [=](const Node& node) {
               const auto p = static_cast<double>(op.p);
               return (1 / p) * (abs(node.y()) * positive_sum_error(node, taps + 8));  // each power is good to 4 ulp
             }};
  if (op.function == PoolFunction::sum || op.function == PoolFunction::average)
    model.rounding = [=](const Node& node) {
      Terms terms{.count = taps,
                  .sum = node.y(),
                  .magnitude = node.apply({abs(node.in[0])}),
                  .squares = node.apply({square(node.in[0])}),
                  .exact = true};
      if (op.function == PoolFunction::average) terms.squares = finite_or_zero(terms.squares / divisors(op, node));
      return dot(node, terms);
    };
  model.line = LineAxes{2};
  return model;
}

}  // namespace plumb::parity::bounds

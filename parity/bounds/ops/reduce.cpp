// Error models of reductions: sums by their arithmetic, norms in units of the result, logarithms by a sum's error.
#include "ir/ops/reduce.hpp"

#include <algorithm>
#include <array>

#include "ir/ops/compare.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/exponential_terms.hpp"
#include "parity/compare/tolerance.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::ReduceFunction;

std::int64_t count_of(const ir::ops::Reduce& op, const ir::Shape& x) {
  std::int64_t count = 1;
  for (const std::int64_t axis : op.axes) count *= x[x.axis(axis)];
  return count;
}

/// The error of a sum of these terms.
Bound of_sum(const ir::ops::Reduce& op, const Node& node, Real terms) {
  const Bound error = dot(node, {.count = count_of(op, terms.shape()),
                                 .sum = sum(terms, op.axes),
                                 .magnitude = sum(abs(terms), op.axes),
                                 .squares = sum(square(terms), op.axes),
                                 .exact = true});
  return {reshaped(error.probable, node.y().shape()), reshaped(error.certain, node.y().shape())};
}

/// The root of a sum of squares in units of the result: neither squares nor their squares leave the range. The certain
/// error of the root holds for errors of the sum up to the sum itself.
Bound norm(const ir::ops::Reduce& op, const Node& node, std::int64_t count) {
  const Real x = node.in[0], y = abs(node.y());
  ir::Shape kept = x.shape();
  for (const std::int64_t axis : op.axes) kept[kept.axis(axis)] = 1;
  const Real shares = finite_or_zero(square(x / reshaped(y, kept)));  // a line that is all 0 has none
  const Bound of_sum = dot(node, {.count = count,
                                  .sum = sum(shares, op.axes),
                                  .magnitude = sum(shares, op.axes),
                                  .squares = sum(square(shares), op.axes),
                                  .exact = has_exact_products(node)});
  const Bound of_root{0.5 * of_sum.probable, 0.5 * of_sum.certain + 0.5 * square(of_sum.certain)};
  const auto of_y = [&](Real relative) { return y * reshaped(relative, y.shape()); };
  return Bound{of_y(of_root.probable), of_y(of_root.certain)} + both(2 * node.unit() * y);
}

Bound log_sum_exp(const ir::ops::Reduce& op, const Node& node) {
  const Real x = node.in[0];
  const Real top = node.builder.apply(ir::ops::Reduce{ReduceFunction::max, op.axes, true}, {x});
  const Real y = reshaped(node.y(), top.shape());
  const Exponentials terms = exponentials(node, x, top, finite_or_zero(exp(x - y)), op.axes, count_of(op, x.shape()));
  const Bound error = log_error(node, terms, y - top) + both(node.unit() * (abs(top) + abs(y)));
  return {reshaped(finite_or_zero(error.probable), node.y().shape()),
          reshaped(finite_or_zero(error.certain), node.y().shape())};
}

/// The error of ln S by that of S (verdict.md V32). Where S may be off by more than half of itself, its logarithm may
/// be anything.
Bound log_of(Bound of_sum, Real y) {
  ExpressionBuilder& builder = *y.builder;
  const auto change = [&](Real error) {
    const Real relative = error / exp(y), one = builder.constant(1);
    const Real log = builder.apply(ir::ops::Unary{ir::ops::UnaryFunction::log}, {one - min(relative, 0.5 * one)});
    const Real is_small =
        builder.apply(ir::ops::Compare{ir::ops::Comparison::less_equal}, {relative, builder.constant(0.5)});
    return builder.apply(ir::ops::Where{}, {is_small, abs(log), builder.constant(compare::anything)});
  };
  return {change(of_sum.probable), change(of_sum.certain)};
}

Bound rounding(const ir::ops::Reduce& op, const Node& node) {
  const double u = node.unit();
  const Real x = node.in[0], y = node.y();
  const std::int64_t count = count_of(op, x.shape());
  switch (op.function) {
    case ReduceFunction::sum:
      return of_sum(op, node, x);
    case ReduceFunction::mean:
      return (1 / static_cast<double>(count)) * of_sum(op, node, x) + both(u * abs(y));
    case ReduceFunction::l1:
      return of_sum(op, node, abs(x));
    case ReduceFunction::sum_square:
      return abs(y) * positive_sum_error(node, count + 1) + both(2 * u * abs(y));
    case ReduceFunction::l2:
      return norm(op, node, count);
    case ReduceFunction::product:
      return abs(y) * positive_sum_error(node, count);
    case ReduceFunction::log_sum:
      return log_of(of_sum(op, node, x), y) + both(8 * u * abs(y));
    case ReduceFunction::log_sum_exp:
      return log_sum_exp(op, node);
    default:
      return both(node.builder.constant(0));
  }
}

}  // namespace

Model error_model(const ir::ops::Reduce& op) {
  Model model{.rounding = [op](const Node& node) { return rounding(op, node); }};
  constexpr std::array moving = {ReduceFunction::sum, ReduceFunction::mean, ReduceFunction::max, ReduceFunction::l1};
  if (std::ranges::find(moving, op.function) != moving.end()) model.carried = moved;
  if (op.function == ReduceFunction::min)
    model.carried = [op](const Node& node, const Errors& errors) {
      return node.builder.apply(ir::ops::Reduce{ReduceFunction::max, op.axes, op.keep_dims}, {*errors[0]});
    };
  return model;
}

}  // namespace plumb::parity::bounds

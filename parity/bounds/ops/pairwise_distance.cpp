// Error model of pairwise distances: sums of terms of one sign, whose size is the result itself, so that no limit needs
// the differences.
#include "ir/ops/pairwise_distance.hpp"

#include <algorithm>

#include "ir/ops/reduce.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/sums/tree.hpp"

namespace plumb::parity::bounds {
namespace {

using Metric = ir::ops::DistanceMetric;

/// The sum of a number of each row of x and of each row of y, for every pair.
Real pair_sum(const ir::ops::PairwiseDistance& op, const std::function<std::optional<Real>(std::size_t)>& of_rows,
              const Node& node) {
  Real total = node.builder.constant(0);
  if (const auto rows = of_rows(0)) total = total + *rows;
  if (const auto rows = of_rows(op.has_y ? 1 : 0)) total = total + reshaped(*rows, {1, node.y().shape()[1]});
  return total;
}

Real length_of(Real x) { return x.builder->apply(ir::ops::Reduce{ir::ops::ReduceFunction::l2, {1}, true}, {x}); }
Real size_of(Metric metric, Real x) { return metric == Metric::manhattan ? sum(abs(x), {1}) : length_of(x); }

/// The change of a distance of which rows move by so much, as the triangle inequality has it; of cosines by the angle.
Real change(const ir::ops::PairwiseDistance& op, const Node& node,
            const std::function<std::optional<Real>(std::size_t)>& moves) {
  if (op.metric == Metric::cosine) {
    const auto turns = [&](std::size_t i) -> std::optional<Real> {
      const auto by = moves(i);
      if (!by) return by;
      return finite_or_zero(min(2 * (length_of(*by) / length_of(node.in[i])), node.builder.constant(2)));
    };
    return min(pair_sum(op, turns, node), node.builder.constant(2));
  }
  const Real moved = pair_sum(
      op,
      [&](std::size_t i) {
        const auto by = moves(i);
        return by ? std::optional(size_of(op.metric, *by)) : by;
      },
      node);
  if (op.metric != Metric::squared_euclidean) return moved;
  return 2 * (sqrt(node.y()) * moved) + square(moved);
}

/// The loss below the smallest normal number: operands that a device takes for 0, and differences or squares of which
/// each is off by no more than itself, and than a step of subnormal numbers or what is flushed.
Real lost(const ir::ops::PairwiseDistance& op, const Node& node, double terms) {
  const double f = node.flushed();
  const Real none = node.builder.constant(0);
  const Real of_operands =
      f == 0 ? none : change(op, node, [&](std::size_t i) { return std::optional(may_vanish(node.in[i], f)); });
  if (op.metric == Metric::cosine) return of_operands;
  const double of_square = op.metric == Metric::squared_euclidean ? node.spacing() : 0;
  return of_operands + min(node.builder.constant(terms * std::max(f, of_square)), node.y());
}

/// Terms of a distance may all be alike, so that a running sum creeps: chance takes as much as any order of rounding.
Bound rounding(const ir::ops::PairwiseDistance& op, const Node& node) {
  const std::int64_t terms = node.in_types[0].shape[1];
  const double u = node.unit(), unit = node.accumulator();
  const double depth = sum_arithmetic(node.with_sum("distance"), false).tree(terms).sizes().depth;
  const Bound below = both(lost(op, node, static_cast<double>(terms)));
  if (op.metric == Metric::cosine) return below + both(node.builder.constant(2 * depth * unit + 8 * u));
  const double of_sum = depth * unit + 3 * u;
  if (op.metric != Metric::euclidean) return below + both(of_sum * node.y());
  return below + both((0.5 * of_sum + 0.5 * of_sum * of_sum + 2 * u) * node.y());
}

}  // namespace

Model error_model(const ir::ops::PairwiseDistance& op) {
  return {.rounding = [op](const Node& node) { return rounding(op, node); },
          .carried = [op](const Node& node,
                          const Errors& errors) { return change(op, node, [&](std::size_t i) { return errors[i]; }); }};
}

}  // namespace plumb::parity::bounds

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

Real length_of(Real x) { return x.builder->apply(ir::ops::Reduce{ir::ops::ReduceFunction::l2, {1}, true}, {x}); }

/// The change of distances from rows `x` that move by so much; of cosines by the angle.
Real change_by_rows(Metric metric, Real by, Real x) {
  if (metric == Metric::manhattan) return sum(abs(by), {1});
  if (metric != Metric::cosine) return length_of(by);
  return finite_or_zero(min(2 * (length_of(by) / length_of(x)), by.builder->constant(2)));
}

/// The change of a distance of which operands move by so much, as the triangle inequality has it.
Real change(const ir::ops::PairwiseDistance& op, const Node& node, const Errors& moves) {
  const Real y = node.y();
  Real moved = node.builder.constant(0);
  for (const std::size_t axis : {0u, 1u}) {
    const std::size_t i = op.has_y ? axis : 0;
    if (!moves[i]) continue;
    const Real of_rows = change_by_rows(op.metric, *moves[i], node.in[i]);
    moved = moved + (axis == 0 ? of_rows : reshaped(of_rows, {1, y.shape()[1]}));
  }
  if (op.metric == Metric::cosine) return min(moved, node.builder.constant(2));
  return op.metric == Metric::squared_euclidean ? 2 * (sqrt(y) * moved) + square(moved) : moved;
}

/// The loss below the smallest normal number: operands that a device takes for 0, and differences or squares of which
/// each is off by no more than itself, and than a step of subnormal numbers or what is flushed.
Real lost(const ir::ops::PairwiseDistance& op, const Node& node, double terms) {
  const double f = node.flushed();
  Real of_operands = node.builder.constant(0);
  if (f > 0) {
    Errors vanished;
    for (const Real x : node.in) vanished.emplace_back(may_vanish(x, f));
    of_operands = change(op, node, vanished);
  }
  if (op.metric == Metric::cosine) return of_operands;
  const double of_square = op.metric == Metric::squared_euclidean ? node.spacing() : 0;
  return of_operands + min(node.builder.constant(terms * std::max(f, of_square)), node.y());
}

/// Terms of a distance may all be alike, so that a running sum creeps: chance takes as much as any order of rounding.
Bound rounding(const ir::ops::PairwiseDistance& op, const Node& node) {
  const std::int64_t terms = node.in_types[0].shape[1];
  const double u = node.unit(), unit = node.accumulator();
  const double depth = sum_arithmetic(node.with_sum(ir::SumName::distance), false).tree(terms).sizes().depth;
  const Bound below = both(lost(op, node, static_cast<double>(terms)));
  if (op.metric == Metric::cosine) return below + both(node.builder.constant(2 * depth * unit + 8 * u));
  const double of_sum = depth * unit + 3 * u;
  if (op.metric != Metric::euclidean) return below + both(of_sum * node.y());
  return below + both((0.5 * of_sum + 0.5 * of_sum * of_sum + 2 * u) * node.y());
}

}  // namespace

Model error_model(const ir::ops::PairwiseDistance& op) {
  return {.rounding = [op](const Node& node) { return rounding(op, node); },
          .carried = [op](const Node& node, const Errors& errors) { return change(op, node, errors); }};
}

}  // namespace plumb::parity::bounds

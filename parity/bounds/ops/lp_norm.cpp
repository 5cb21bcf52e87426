// Error model of lp normalisation: the relative error of a sum of powers, divided by p.
#include "ir/ops/lp_norm.hpp"

#include <algorithm>
#include <limits>

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// The loss where numbers below the smallest normal may be flushed to 0 (verdict.md V35): each number itself,
/// and its share of the norm. A norm of nothing else may be anything down to 0, and its line anything in [-1, 1].
Real vanished(const ir::ops::LpNorm& op, const Node& node) {
  const double f = node.flushed();
  if (f == 0) return node.builder.constant(0);
  const auto norm = [&](Real x) { return op.p == 1 ? sum(abs(x), {op.axis}) : sqrt(sum(square(x), {op.axis})); };
  const Real lost = may_vanish(node.in[0], f), of_norm = norm(lost), size = abs(node.y());
  // Above 0, for what is divided by it: the square of the smallest normal of f64 is 0.
  const double least = std::max(f * f, std::numeric_limits<double>::min());
  const Real left = max(norm(node.in[0]) - of_norm, node.builder.constant(least));
  return min((lost + size * of_norm) / left, size + 1.0);
}

}  // namespace

Model error_model(const ir::ops::LpNorm& op) {
  Model model{.ulps = 4, .rounding = [op](const Node& node) {
                const ir::Shape& x = node.in[0].shape();
                return (1.0 / static_cast<double>(op.p)) *
                           (abs(node.y()) * positive_sum_error(node, x[x.axis(op.axis)] + 1)) +
                       both(vanished(op, node));
              }};
  model.line = LineAxes{op.axis, op.axis};
  return model;
}

}  // namespace plumb::parity::bounds

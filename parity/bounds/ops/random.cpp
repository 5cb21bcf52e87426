// Error model of normal random numbers: in proportion to the spread, not to the number, since the mean may cancel it.
#include "ir/ops/random.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// ops.md 2: 16 units of f32 at scale·g and one at y, whatever the dtype. The truth has the dtype of the numbers
/// (ops.md 1.10, W4), so that it was rounded, too.
Bound of_normal(const ir::ops::Random& op, const Node& node) {
  constexpr double u = 0x1p-24;
  const Real y = node.y(), deviation = abs(y - op.real(op.mean));
  const double rounded = op.dtype == ir::DType::f64 ? 0 : ir::unit_roundoff(op.dtype);
  Bound error = both(16 * u * deviation + (u + rounded) * abs(y));
  // A standard deviation that a device takes for 0 takes all of the spread with it, which has 24 bits: |g| < 6.
  if (std::fabs(op.real(op.scale)) < node.flushed()) error = error + both(node.builder.constant(6 * node.flushed()));
  return error;
}

}  // namespace

Model error_model(const ir::ops::Random& op) {
  if (op.distribution != ir::ops::RandomDistribution::normal) return {};
  return {.rounding = [op](const Node& node) { return of_normal(op, node); }};
}

}  // namespace plumb::parity::bounds

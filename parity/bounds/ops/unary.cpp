#include "ir/ops/unary.hpp"

#include <cmath>
#include <numbers>

#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/function_limits.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::UnaryFunction;

/// u |y| (relative + slope · growth), of functions whose limit grows with x. Of f64 up to 64: beyond 40 they are x or
/// 0, and powers of larger x leave the range in which limits are evaluated.
Bound growing(const Node& node, const UnaryLimit& limit) {
  const bool is_f64 = node.unit() <= ir::unit_roundoff(ir::DType::f64) * 2;
  const Real x = is_f64 ? min(abs(node.in[0]), node.builder.constant(64)) : node.in[0];
  const Real growth = limit.function == UnaryFunction::gelu
                          ? square(x)
                          : abs(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * (x * square(x))));
  return both(node.unit() * abs(node.y()) * (limit.slope * growth + limit.relative));
}

}  // namespace

Model error_model(const ir::ops::Unary& op) {
  Model model{.complex_units = units_of_complex_unary,
              .carried = by_difference,
              .decides_ties = op.function == UnaryFunction::square};
  if (const UnaryLimit* const limit = limit_of(op.function)) {
    model.ulps = limit->ulps;
    if (limit->slope > 0) model.rounding = [limit](const Node& node) { return growing(node, *limit); };
  }
  return model;
}

}  // namespace plumb::parity::bounds

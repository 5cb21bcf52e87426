#include "ir/ops/unary.hpp"

#include <cmath>
#include <numbers>

#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/function_limits.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::UnaryFunction;

/// u |y| (relative + slope · growth), of functions whose limit grows with x.
Bound growing(const Node& node, const UnaryLimit& limit) {
  const Real x = node.in[0];
  const Real growth = limit.function == UnaryFunction::gelu
                          ? square(x)
                          : abs(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * (x * square(x))));
  return both(node.unit() * abs(node.y()) * (limit.slope * growth + limit.relative));
}

}  // namespace

Model error_model(const ir::ops::Unary& op) {
  Model model{.complex_units = units_of_complex_unary, .carried = by_difference};
  if (const UnaryLimit* const limit = limit_of(op.function)) {
    model.ulps = limit->ulps;
    if (limit->slope > 0) model.rounding = [limit](const Node& node) { return growing(node, *limit); };
  }
  return model;
}

}  // namespace plumb::parity::bounds

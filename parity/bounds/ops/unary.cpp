// Error model of functions of one element: their limits, and formulas of those whose limit grows with the element.
#include "ir/ops/unary.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Unary& op) {
  Model model{.complex_units = units_of_complex_unary,
              .carried = by_difference,
              .decides_ties = op.function == ir::ops::UnaryFunction::square};
  if (const UnaryLimit* const limit = limit_of(op.function)) {
    model.ulps = limit->ulps;
    if (limit->slope > 0)
      model.rounding = [limit](const Node& node) { return growing(node, *limit, node.in[0], limit->relative); };
  }
  return model;
}

}  // namespace plumb::parity::bounds

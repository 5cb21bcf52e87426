// Error model of broadcast binary functions: the ulps of the table, and units of complex products and quotients.
#include "ir/ops/binary.hpp"

#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/function_limits.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Binary& op) {
  using F = ir::ops::BinaryFunction;
  const bool rounds_one_step = op.function == F::add || op.function == F::subtract || op.function == F::multiply;
  Model model{.carried = by_difference, .decides_ties = rounds_one_step};
  if (const BinaryLimit* const limit = limit_of(op.function)) model.ulps = limit->ulps;
  if (op.function == F::divide) model.complex_units = units_of_complex_quotient;
  if (op.function == F::multiply) model.complex_units = units_of_complex_product;
  return model;
}

}  // namespace plumb::parity::bounds

// Error model of broadcast binary functions: the ulps of the table, and units of complex products and quotients.
#include "ir/ops/binary.hpp"

#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/function_limits.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Binary& op) {
  Model model{.carried = by_difference};
  if (const BinaryLimit* const limit = limit_of(op.function)) model.ulps = limit->ulps;
  if (op.function == ir::ops::BinaryFunction::divide) model.complex_units = units_of_complex_quotient;
  if (op.function == ir::ops::BinaryFunction::multiply) model.complex_units = units_of_complex_product;
  return model;
}

}  // namespace plumb::parity::bounds

#include "ir/ops/binary.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Binary& op) {
  using F = ir::ops::BinaryFunction;
  switch (op.function) {
    case F::divide:
      return {.ulps = 2.5, .complex_units = 16, .carried = by_difference};
    case F::power:
    case F::atan2:
      return {.ulps = 4, .carried = by_difference};
    default:
      return {.carried = by_difference};
  }
}

}  // namespace plumb::parity::bounds

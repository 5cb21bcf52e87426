// Error models of real numbers of complex ones: ulps of modulus and angle, and a sum of two squares.
#include "ir/ops/complex_part.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::ComplexPart;
using ir::ops::ComplexPartFunction;

/// The certain limit of a sum of two products (ops.md D.3), which is below the probable one: both have one sign. A
/// device may take for 0 what is below its smallest normal number.
Bound of_squares(const Node& node) {
  constexpr double terms = 2;
  const Real rounded = (terms + 1 + 1) * node.unit() * node.y();
  if (node.flushed() == 0) return both(rounded);
  const auto lost = [&](ComplexPartFunction part) {
    return may_vanish(square(node.builder.apply(ComplexPart{part}, {node.in[0]})), node.flushed());
  };
  return both(rounded + lost(ComplexPartFunction::real) + lost(ComplexPartFunction::imag));
}

}  // namespace

Model error_model(const ComplexPart& op) {
  switch (op.function) {
    case ComplexPartFunction::abs:
      return {.ulps = 2};
    case ComplexPartFunction::angle:
      return {.ulps = 4};
    case ComplexPartFunction::norm_squared:
      return {.rounding = of_squares};
    default:
      return {};
  }
}

}  // namespace plumb::parity::bounds

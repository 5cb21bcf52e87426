// A complex number from its parts, or from modulus and angle (ops.md 2).
#include "ir/ops/make_complex.hpp"

#include <cmath>

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::MakeComplex& op, const Call& call) {
  const Real a = call.stretched(0).re, b = call.stretched(1).re;
  if (op.form == ir::ops::ComplexForm::cartesian) return {a, b};
  const Real across = apply([](long double x) { return std::cos(x); }, b, library_ulps);
  const Real up = apply([](long double x) { return std::sin(x); }, b, library_ulps);
  return {a * across, a * up};
}

}  // namespace plumb::parity::element

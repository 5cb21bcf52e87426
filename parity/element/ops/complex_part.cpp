// A part of one complex number, its modulus or its angle (ops.md 2).
#include "ir/ops/complex_part.hpp"

#include <cmath>

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::ComplexPart& op, const Call& call) {
  using ir::ops::ComplexPartFunction;
  const Number z = call.number(0, call.at());
  switch (op.function) {
    case ComplexPartFunction::real:
      return z.re;
    case ComplexPartFunction::imag:
      return z.im;
    case ComplexPartFunction::abs:
      return apply([](long double x, long double y) { return std::hypot(x, y); }, z.re, z.im, library_ulps);
    case ComplexPartFunction::angle:
      return apply([](long double y, long double x) { return std::atan2(y, x); }, z.im, z.re, library_ulps);
    case ComplexPartFunction::norm_squared:
      break;
  }
  return z.re * z.re + z.im * z.im;
}

}  // namespace plumb::parity::element

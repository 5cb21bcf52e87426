// A function of one element (ops.md 3).
#include "ir/ops/unary.hpp"

#include <algorithm>
#include <limits>

#include "parity/element/call.hpp"
#include "parity/element/functions.hpp"

namespace plumb::parity::element {
namespace {

using ir::ops::UnaryFunction;

Number of_integer(UnaryFunction function, ir::DType dtype, Number given) {
  const std::int64_t x = whole(given);
  const auto bits = static_cast<std::uint64_t>(x);
  switch (function) {
    case UnaryFunction::abs:
      return wrap(dtype, x < 0 ? -bits : bits);
    case UnaryFunction::negate:
      return wrap(dtype, -bits);
    case UnaryFunction::sign:
      return {Real(x > 0 ? 1 : x < 0 ? -1 : 0)};
    case UnaryFunction::square:
      return wrap(dtype, bits * bits);
    case UnaryFunction::relu:
      return {Real(std::max<std::int64_t>(x, 0))};
    case UnaryFunction::logical_not:
      return {Real(x == 0 ? 1 : 0)};
    case UnaryFunction::bitwise_not:
      return wrap(dtype, ~bits);
    default:
      throw NoAnswer{};
  }
}

/// The modulus decides what a part may be off: 8 roundoffs of it (ops.md 3), and a number below the normal ones
/// besides.
Number within_modulus(long double re, long double im) {
  if (!std::isfinite(re) || !std::isfinite(im)) throw NoAnswer{};
  const long double off = 8 * roundoff * std::hypot(re, im) + std::numeric_limits<double>::denorm_min();
  return {in_range({re, off}), in_range({im, off})};
}

Number of_complex(UnaryFunction function, Number z) {
  const long double re = z.re.value, im = z.im.value;
  const auto needs_exact = [&] {
    if (z.re.off + z.im.off > 0) throw NoAnswer{};
  };
  switch (function) {
    case UnaryFunction::negate:
      return {-z.re, -z.im};
    case UnaryFunction::conjugate:
      return {z.re, -z.im};
    case UnaryFunction::square:
      return z * z;
    case UnaryFunction::reciprocal:
      return Number(Real(1)) / z;
    case UnaryFunction::exp:
      needs_exact();
      return within_modulus(std::exp(re) * std::cos(im), std::exp(re) * std::sin(im));
    case UnaryFunction::log:
      needs_exact();
      return within_modulus(std::log(std::hypot(re, im)), std::atan2(im, re));
    case UnaryFunction::sqrt: {
      needs_exact();
      const long double size = std::hypot(re, im), large = std::sqrt((size + std::fabs(re)) / 2);
      if (size == 0) return {Real(0), z.im};
      const long double small = std::fabs(im) / (2 * large);
      return within_modulus(re >= 0 ? large : small, std::copysign(re >= 0 ? small : large, im));
    }
    default:
      throw NoAnswer{};
  }
}

}  // namespace

Number element(const ir::ops::Unary& op, const Call& call) {
  const Number x = call.number(0, call.at());
  const ir::DType dtype = call.dtype_in(0);
  if (ir::is_complex(dtype)) return of_complex(op.function, x);
  if (!ir::is_float(dtype)) return of_integer(op.function, dtype, x);
  return function_of(op.function, x.re);
}

}  // namespace plumb::parity::element

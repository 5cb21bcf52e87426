// a·b + c, rounded once.
#include "ir/ops/fma.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Fma&, const Call& call) {
  const Real a = call.stretched(0).re, b = call.stretched(1).re, c = call.stretched(2).re;
  const long double product = a.value * b.value;
  if (!std::isfinite(product)) return Real(product + c.value);
  // The product may be beyond the range of f64 though the sum is not: it is not rounded.
  const long double carried = std::fabs(a.value) * b.off + std::fabs(b.value) * a.off + a.off * b.off;
  return Real(product, carried + std::fabs(product) * 0x1p-64L) + c;
}

}  // namespace plumb::parity::element

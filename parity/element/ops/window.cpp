// The cosines of ops.md 2 at element i, made on the host in f64.
#include "ir/ops/window.hpp"

#include <cmath>

#include "parity/element/call.hpp"

namespace plumb::parity::element {
namespace {

/// cos(2πi/turn).
Real cosine(std::int64_t i, std::int64_t turn) {
  const Real angle = Real(2 * 3.14159265358979323846264338327950288L, 0x1p-62L) * Real(i) / Real(turn);
  return apply([](long double x) { return std::cos(x); }, angle, library_ulps);
}

Real element_of(const ir::ops::Window& op, std::int64_t i) {
  const std::int64_t extent = op.periodic ? op.size : op.size - 1, turn = extent < 1 ? 1 : extent;
  using ir::ops::WindowFunction;
  switch (op.function) {
    case WindowFunction::hann:
      return Real(0.5L) - Real(0.5L) * cosine(i, turn);
    case WindowFunction::hamming:
      return Real(op.alpha) - (Real(1) - Real(op.alpha)) * cosine(i, turn);
    case WindowFunction::blackman:
      return Real(0.42L) - Real(0.5L) * cosine(i, turn) + Real(0.08L) * cosine(2 * i, turn);
    case WindowFunction::rectangular:
      break;
  }
  return Real(1);
}

}  // namespace

Number element(const ir::ops::Window& op, const Call& call) {
  const Real exact = element_of(op, call.at(0));
  if (op.dtype == ir::DType::f64) return exact;
  // f64 is computed in f64, roundings of its own; what is stored is narrower.
  const long double u = ir::unit_roundoff(op.dtype), least = op.dtype == ir::DType::f16 ? 0x1p-24L : 0x1p-133L;
  return Real(exact.value, exact.off + u * std::fabs(exact.value) + least);
}

}  // namespace plumb::parity::element

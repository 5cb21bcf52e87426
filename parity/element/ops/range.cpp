// start + i·delta, made on the host in f64 or, of integers, modulo 2^w.
#include "ir/ops/range.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Range& op, const Call& call) {
  const auto i = call.at(0);
  if (ir::is_integer(op.dtype)) {
    const auto as_bits = [](double x) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); };
    return wrap(op.dtype, as_bits(op.start) + static_cast<std::uint64_t>(i) * as_bits(op.delta));
  }
  // f64 is computed in f64, two roundings of its own; what is stored is narrower.
  const Real exact = Real(op.start) + Real(i) * Real(op.delta);
  const long double u = ir::unit_roundoff(op.dtype), least = op.dtype == ir::DType::f16 ? 0x1p-24L : 0x1p-133L;
  if (op.dtype == ir::DType::f64) return exact;
  return Real(exact.value, exact.off + u * std::fabs(exact.value) + least);
}

}  // namespace plumb::parity::element

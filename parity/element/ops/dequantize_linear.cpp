// (q - zero_point)·scale, of codes that are integers or floats of few bits.
#include "ir/ops/dequantize_linear.hpp"

#include "parity/element/call.hpp"
#include "parity/element/quantized.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::DequantizeLinear& op, const Call& call) {
  const Real scale = scale_of(call, op.axis, op.block_size, 1).re;
  const std::int64_t q = call.whole(0, call.at());
  if (op.code != CodeFormat::integer) return Real(value_of_code(op.code, q)) * scale;
  const std::int64_t zero = op.has_zero_point ? whole(scale_of(call, op.axis, op.block_size, 2)) : 0;
  return Real(static_cast<long double>(q - zero)) * scale;
}

}  // namespace plumb::parity::element

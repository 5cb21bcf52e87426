// Σ_k x[.., k]·W[n, k] + bias[n], each weight decoded from its own bytes.
#include "ir/ops/dequant_matmul.hpp"

#include "parity/element/packed.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::DequantMatmul& op, const Call& call) {
  Position in_x = call.at();
  const std::int64_t n = call.at().back();
  Sum sum;
  for (std::int64_t k = 0; k < call.in(0).back(); ++k) {
    in_x.back() = k;
    const float weight = packed_factor(op.format, op.block_size, op.has_zero_points, call, 1, {n, k});
    sum.add(call.real(0, in_x), Real(rounded_factor(op.weight_dtype, weight)));
  }
  if (op.has_bias) sum.add_behind(call.real(call.operands() - 1, {n}));
  return sum.total();
}

}  // namespace plumb::parity::element

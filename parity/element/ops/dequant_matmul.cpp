// Σ_k x[.., k]·W[n, k] + bias[n], each weight decoded from its own bytes, and x from codes where it has scales.
#include "ir/ops/dequant_matmul.hpp"

#include "parity/element/packed.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::DequantMatmul& op, const Call& call) {
  Position in_x = call.at();
  const std::int64_t n = call.at().back();
  const auto scales = op.has_x_scales ? std::optional(call.operands() - (op.has_bias ? 2 : 1)) : std::nullopt;
  Sum sum;
  for (std::int64_t k = 0; k < call.in(0).back(); ++k) {
    in_x.back() = k;
    const float weight = packed_factor(op.format, op.block_size, op.has_zero_points, call, 1, {n, k});
    sum.add(left_factor(call, in_x, scales), Real(rounded_factor(op.weight_dtype, weight)));
  }
  if (op.has_bias) sum.add_behind(call.real(call.operands() - 1, {n}));
  return sum.total();
}

}  // namespace plumb::parity::element

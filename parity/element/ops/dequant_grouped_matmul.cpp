// Σ_k x[i, k]·W[expert[i], n, k] + bias[expert[i], n], each weight decoded from its own bytes; 0 for expert −1.
#include "ir/ops/dequant_grouped_matmul.hpp"

#include "parity/element/experts.hpp"
#include "parity/element/packed.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::DequantGroupedMatmul& op, const Call& call) {
  const std::int64_t row = call.at(0), n = call.at(1);
  const std::size_t behind_codes = 2 + (op.has_scales ? 1 : 0) + (op.has_zero_points ? 1 : 0);
  const auto scales = op.has_x_scales ? std::optional(behind_codes + 1) : std::nullopt;
  Sum sum;
  const auto expert = expert_of(call, behind_codes, row, call.in(1)[0]);
  if (!expert) return sum.total();
  for (std::int64_t k = 0; k < call.in(0)[1]; ++k) {
    const float weight = packed_factor(op.format, op.block_size, op.has_zero_points, call, 1, {*expert, n, k});
    sum.add(left_factor(call, {row, k}, scales), Real(rounded_factor(op.weight_dtype, weight)));
  }
  if (op.has_bias) sum.add_behind(call.real(call.operands() - 1, {*expert, n}));
  return sum.total();
}

}  // namespace plumb::parity::element

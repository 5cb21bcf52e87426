// Σ_k x[.., k]·W[n, k] + bias[n], each weight decoded from its own bytes.
#include "ir/ops/dequant_matmul.hpp"

#include <cmath>

#include "parity/element/packed.hpp"

namespace plumb::parity::element {
namespace {

/// x rounded to a float of so many significant bits and least exponent, to nearest even.
long double rounded_to(long double x, int bits, int least_exponent, int greatest_exponent) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), least_exponent);
  const long double step = std::ldexp(1.0L, exponent - bits + 1), y = std::nearbyint(x / step) * step;
  return std::fabs(y) < std::ldexp(1.0L, greatest_exponent + 1) ? y : std::copysign(HUGE_VALL, y);
}

long double factor(ir::ops::WeightDtype dtype, float weight) {
  if (dtype == ir::ops::WeightDtype::f16) return rounded_to(weight, 11, -14, 15);
  return dtype == ir::ops::WeightDtype::bf16 ? rounded_to(weight, 8, -126, 127) : weight;
}

}  // namespace

Number element(const ir::ops::DequantMatmul& op, const Call& call) {
  Position in_x = call.at();
  const std::int64_t n = call.at().back();
  Sum sum;
  for (std::int64_t k = 0; k < call.in(0).back(); ++k) {
    in_x.back() = k;
    const float weight = packed_factor(op.format, op.block_size, op.has_zero_points, call, 1, {n, k});
    sum.add(call.real(0, in_x), Real(factor(op.weight_dtype, weight)));
  }
  if (op.has_bias) sum.add_behind(call.real(call.operands() - 1, {n}));
  return sum.total();
}

}  // namespace plumb::parity::element

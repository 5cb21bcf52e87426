#include "ir/ops/fma.hpp"

#include <bit>
#include <cmath>

#include "ref_cpu/kernels/elementwise.hpp"

namespace plumb::ref_cpu {
namespace {

/// a b + c of 16-bit floats to odd: truncated, the last bit 1 when anything was lost, so that
/// the rounding to 16 bits that follows is the only one. The product is exact.
double fused_to_odd(double a, double b, double c) {
  const double p = a * b, s = p + c, from_c = s - p, lost = (p - (s - from_c)) + (c - from_c);
  if (!(lost != 0) || !std::isfinite(s)) return s;
  const auto bits = std::bit_cast<std::uint64_t>(s);
  if ((bits & 1) != 0) return s;
  return std::bit_cast<double>((lost > 0) == (s > 0) ? bits + 1 : bits - 1);
}

}  // namespace

void run(const ir::ops::Fma&, Call& call) {
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    if constexpr (std::is_same_v<T, C>)
      kernels::elementwise<T, T, T, T>(call, [](C a, C b, C c) { return std::fma(a, b, c); });
    else
      kernels::elementwise<T, T, T, T>(call, [](C a, C b, C c) { return fused_to_odd(a, b, c); });
  });
}

}  // namespace plumb::ref_cpu

// A code, the scale that holds all numbers, or the code of 0.
// Optimised: it loops over elements or terms.
#include "ir/ops/dynamic_quantize_linear.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {
namespace {

/// RNE(quotient) + zero within [0, 255]. Throws NoAnswer where the quotient's uncertainty decides.
Number found_code(Real quotient, std::int64_t zero) {
  if (std::isnan(quotient.value)) return Number(Real(zero));
  const auto code = [&](long double real) {
    return std::min(std::max(std::nearbyint(real) + static_cast<long double>(zero), 0.0L), 255.0L);
  };
  if (code(quotient.value - quotient.off) != code(quotient.value + quotient.off)) throw NoAnswer{};
  return Number(Real(code(quotient.value)));
}

}  // namespace

Number element(const ir::ops::DynamicQuantizeLinear&, const Call& call) {
  Real low(0), high(0);
  for_each(call.in(0), [&](const Position& at) {
    const Real x = call.real(0, at);
    low = minimum(low, x);
    high = maximum(high, x);
  });
  const Real width = high - low;
  const Real scale = width.value == 0 ? Real(1) : width / Real(255);
  if (call.output() == 1) return scale;
  if (!std::isfinite(scale.value)) return Number(Real(0));
  const Number zero = found_code(-low / scale, 0);
  return call.output() == 2 ? zero : found_code(call.real(0, call.at()) / scale, whole(zero));
}

}  // namespace plumb::parity::element

// The real that the code of x stands for.
#include "ir/ops/fake_quantize.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::FakeQuantize& op, const Call& call) {
  const std::size_t rank = call.at().size();
  const Position channel = call.in(1).empty() ? Position{} : Position{call.at(axis_of(op.axis, rank))};
  const Real x = call.number(0, call.at()).re, scale = call.real(1, channel);
  const Real zero(op.has_zero_point ? call.whole(2, channel) : 0);
  const Real whole = apply_steps([](long double v) { return std::nearbyint(v); }, x / scale);
  const Real code = std::isnan(whole.value) ? zero : whole + zero;
  return (minimum(maximum(code, Real(op.q_min)), Real(op.q_max)) - zero) * scale;
}

}  // namespace plumb::parity::element

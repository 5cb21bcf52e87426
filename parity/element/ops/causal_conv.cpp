// act(bias + Σ_j w[j]·z[t + j]), z being the state and the chunk behind it; the new state is the end of z.
#include "ir/ops/causal_conv.hpp"

#include "parity/element/call.hpp"
#include "parity/element/functions.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::CausalConv& op, const Call& call) {
  const std::int64_t batch = call.at(0), channel = call.at(1), taps = call.in(1)[2], before = taps - 1;
  const auto seen = [&](std::int64_t at) -> Number {
    if (at >= before) return call.number(0, Position{batch, channel, at - before});
    return op.has_state ? call.number(call.operands() - 1, Position{batch, channel, at}) : Number{Real(0)};
  };
  if (call.output() == 1) return seen(call.in(0)[2] + call.at(2));
  Sum sum;
  for (std::int64_t j = 0; j < taps; ++j) sum.add(call.real(1, {channel, 0, j}), seen(call.at(2) + j).re);
  if (op.has_bias) sum.add_behind(call.real(2, {channel}));
  const Real total = sum.total();
  return op.activation == ir::ops::CausalActivation::silu ? function_of(ir::ops::UnaryFunction::silu, total) : total;
}

}  // namespace plumb::parity::element

// x / (bias + alpha / size · Σx²)^beta over the channels around.
#include "ir/ops/lrn.hpp"

#include <algorithm>

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Lrn& op, const Call& call) {
  const std::int64_t before = (op.size - 1) / 2, after = op.size / 2, channels = call.in(0)[1], c = call.at(1);
  Sum squares;
  Position at = call.at();
  for (at[1] = std::max<std::int64_t>(0, c - before); at[1] <= std::min(channels - 1, c + after); ++at[1]) {
    const Real x = call.real(0, at);
    squares.add(x, x);
  }
  const Real factor = Real(call.attribute(op.alpha)) / Real(op.size);
  const Real base = Real(call.attribute(op.bias)) + factor * squares.total(), beta = call.attribute(op.beta);
  const auto power = [](long double b, long double e) { return std::pow(b, e); };
  return call.real(0, call.at()) / apply(power, base, beta, library_ulps);
}

}  // namespace plumb::parity::element

// norm(x)·(1 + scale) + shift over the last axis.
#include "ir/ops/ada_norm.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::AdaNorm& op, const Call& call) {
  const std::size_t rank = call.in(0).size();
  const std::vector<Real> line = reals_of(call, call.at(), axes_from(rank - 1, rank));
  Real d = call.real(0, call.at()), spread;
  if (op.kind == ir::ops::AdaNormKind::layer) {
    const Moments moments = moments_of(line);
    d = d - moments.mean;
    spread = moments.variance;
  } else {
    spread = mean_of_squares(line);
  }
  const Real factor = Real(1) + call.stretched(1).re;
  return d * inverse_root(spread, call.attribute(op.epsilon)) * factor + call.stretched(2).re;
}

}  // namespace plumb::parity::element

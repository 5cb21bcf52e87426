// (x - mean)·r·scale + bias over the axes from one on, and the statistics.
// Optimised: it loops over elements or terms.
#include "ir/ops/layer_norm.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::LayerNorm& op, const Call& call) {
  const std::size_t rank = call.in(0).size();
  const std::vector<Real> line = reals_of(call, call.at(), axes_from(axis_of(op.axis, rank), rank));
  const Moments moments = moments_of(line);
  if (call.output() == 1) return moments.mean;
  const Real r = inverse_root(moments.variance, call.attribute(op.epsilon));
  if (call.output() == 2) return r;
  Real y = (call.real(0, call.at()) - moments.mean) * r;
  if (op.has_scale) y = y * call.stretched(1).re;
  if (op.has_bias) y = y + call.stretched(op.has_scale ? 2 : 1).re;
  return y;
}

}  // namespace plumb::parity::element

// x·r·scale + bias, r by the mean of squares.
#include "ir/ops/rms_norm.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::RmsNorm& op, const Call& call) {
  const std::size_t rank = call.in(0).size();
  const std::vector<Real> line = reals_of(call, call.at(), axes_from(axis_of(op.axis, rank), rank));
  Real y = call.real(0, call.at()) * inverse_root(mean_of_squares(line), call.attribute(op.epsilon));
  if (op.has_scale) y = y * call.stretched(1).re;
  if (op.has_bias) y = y + call.stretched(op.has_scale ? 2 : 1).re;
  return y;
}

}  // namespace plumb::parity::element

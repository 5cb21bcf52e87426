// A layer norm of every channel of every image.
#include "ir/ops/instance_norm.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::InstanceNorm& op, const Call& call) {
  const Moments moments = moments_of(reals_of(call, call.at(), axes_from(2, call.in(0).size())));
  const Real r = inverse_root(moments.variance, call.attribute(op.epsilon));
  return (call.real(0, call.at()) - moments.mean) * r * call.real(1, {call.at(1)}) + call.real(2, {call.at(1)});
}

}  // namespace plumb::parity::element

// (x - mean)·(scale / √(variance + epsilon)) + bias, by channel.
#include "ir/ops/batch_norm.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::BatchNorm& op, const Call& call) {
  const std::int64_t c = call.at(axis_of(op.axis, call.at().size()));
  const Real root = sqrt(call.real(4, {c}) + Real(call.attribute(op.epsilon)));
  return (call.real(0, call.at()) - call.real(3, {c})) * (call.real(1, {c}) / root) + call.real(2, {c});
}

}  // namespace plumb::parity::element

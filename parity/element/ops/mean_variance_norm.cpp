// (x - mean) / (√variance + epsilon): epsilon is outside the root.
#include "ir/ops/mean_variance_norm.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::MeanVarianceNorm& op, const Call& call) {
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : op.axes) axes.push_back(axis_of(axis, call.at().size()));
  const Moments moments = moments_of(reals_of(call, call.at(), axes));
  const Real centred = call.real(0, call.at()) - moments.mean, epsilon = call.attribute(op.epsilon);
  if (moments.variance.value != 0 && !(moments.variance.value > moments.variance.off)) throw NoAnswer{};
  const Real root = moments.variance.value == 0 ? Real(0) : sqrt(moments.variance);
  return centred / (root + epsilon);
}

}  // namespace plumb::parity::element

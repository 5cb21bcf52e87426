// A layer norm over the channels of a group and all positions; scale and bias by channel.
#include "ir/ops/group_norm.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::GroupNorm& op, const Call& call) {
  const std::size_t rank = call.in(0).size();
  const std::int64_t channels = call.in(0)[1] / op.num_groups, first = call.at(1) / channels * channels;
  std::vector<Real> line;
  for (std::int64_t c = first; c < first + channels; ++c) {
    Position at = call.at();
    at[1] = c;
    const std::vector<Real> of_channel = reals_of(call, at, axes_from(2, rank));
    line.insert(line.end(), of_channel.begin(), of_channel.end());
  }
  const Moments moments = moments_of(line);
  Real y = (call.real(0, call.at()) - moments.mean) * inverse_root(moments.variance, call.attribute(op.epsilon));
  if (op.has_scale) y = y * call.real(1, {call.at(1)});
  if (op.has_bias) y = y + call.real(op.has_scale ? 2 : 1, {call.at(1)});
  return y;
}

}  // namespace plumb::parity::element

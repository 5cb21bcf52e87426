// Blocks of s · s positions come from channels.
#include "ir/ops/depth_to_space.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::DepthToSpace& op, const Call& call) {
  const std::int64_t s = op.block, c = call.at(1), h = call.at(2), w = call.at(3);
  const std::int64_t in_block = h % s * s + w % s;
  const bool is_dcr = op.mode == ir::ops::DepthOrder::dcr;
  const std::int64_t channel = is_dcr ? in_block * call.out()[1] + c : c * s * s + in_block;
  return call.number(0, Position{call.at(0), channel, h / s, w / s});
}

}  // namespace plumb::parity::element

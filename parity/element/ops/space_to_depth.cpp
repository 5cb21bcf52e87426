// y[n, (i·s + j)·C + c, h, w] = x[n, c, h·s + i, w·s + j].
#include "ir/ops/space_to_depth.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::SpaceToDepth& op, const Call& call) {
  const std::int64_t s = op.block, channels = call.in(0)[1];
  const std::int64_t in_block = call.at(1) / channels, c = call.at(1) % channels;
  return call.number(0, Position{call.at(0), c, call.at(2) * s + in_block / s, call.at(3) * s + in_block % s});
}

}  // namespace plumb::parity::element

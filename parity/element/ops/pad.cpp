// The element of x that each axis shows there, or the value.
#include "ir/ops/pad.hpp"

#include <algorithm>

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Pad& op, const Call& call) {
  const std::size_t rank = call.at().size();
  Position in_x = call.at();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    // Negative pads crop first: what is mirrored, stretched or repeated is what they leave.
    const std::int64_t begin = op.pads[axis], end = op.pads[rank + axis], cropped = std::max<std::int64_t>(0, -begin);
    const std::int64_t n = call.in(0)[axis] - cropped - std::max<std::int64_t>(0, -end);
    std::int64_t i = call.at(axis) - std::max<std::int64_t>(0, begin);
    if (i < 0 || i >= n) {
      const std::int64_t period = op.mode == ir::ops::PadMode::reflect ? 2 * (n - 1) : n;
      const auto phase = [&] { return (i % period + period) % period; };
      if (op.mode == ir::ops::PadMode::constant) return op.has_value ? call.number(1, Position{}) : Number();
      if (op.mode == ir::ops::PadMode::edge)
        i = std::clamp<std::int64_t>(i, 0, n - 1);
      else
        i = op.mode == ir::ops::PadMode::wrap ? phase() : std::min(phase(), period - phase());
    }
    in_x[axis] = i + cropped;
  }
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element

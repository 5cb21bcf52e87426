// Symmetries of resizing: axes that stay as they are, and linearity unless a value stands for what is outside.
#include "ir/ops/resize.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Resize& op, ir::Types in, ir::Types) {
  std::vector<bool> resampled(in[0].shape.size(), false);
  for (const std::int64_t axis : op.axes) resampled[in[0].shape.axis(axis)] = true;
  Symmetries made;
  for (std::size_t a = 0; a < resampled.size(); ++a)
    if (!resampled[a]) made.axes.push_back(along(in, a));
  if (op.extrapolation_value == 0) made.homogeneous = {{.operands = {0}, .linear = true}};
  return made;
}

}  // namespace plumb::parity::relations

// Symmetries of batch norm: every axis, the channels together with their statistics.
#include "ir/ops/batch_norm.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::BatchNorm& op, ir::Types in, ir::Types) {
  const std::size_t channels = in[0].shape.axis(op.axis);
  std::vector<AxisSymmetry> axes;
  for (std::size_t a = 0; a < in[0].shape.size(); ++a)
    axes.push_back(along(in, a, std::vector<Axis>(4, a == channels ? Axis(0) : Axis())));
  return {.axes = axes};
}

}  // namespace plumb::parity::relations

// Symmetries of rotary embeddings: batch and heads, and linearity in x.
#include "ir/ops/rope.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Rope& op, ir::Types in, ir::Types) {
  const std::size_t heads = op.layout == ir::ops::RopeLayout::bhsd ? 1 : 2;
  const Axis of_table = in[1].shape.size() == 3 ? Axis(0) : Axis();
  std::vector<Axis> batch = {of_table, of_table};
  if (op.has_positions) batch.push_back(in[3].shape.size() == 2 ? Axis(0) : Axis());
  return {.axes = {along(in, 0, batch), along(in, heads)}, .homogeneous = {{.operands = {0}, .linear = true}}};
}

}  // namespace plumb::parity::relations

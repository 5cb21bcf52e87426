// Symmetries of matrix products: batch, rows, columns and terms, linearity in either operand, transposition.
#include "ir/ops/matmul.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Matmul& op, ir::Types in, ir::Types out) {
  const std::size_t a = in[0].shape.size(), b = in[1].shape.size(), y = out[0].shape.size();
  const std::size_t row = a - (op.transpose_a ? 1 : 2), column = b - (op.transpose_b ? 2 : 1);
  Symmetries made{.homogeneous = {{.operands = {0}, .linear = true}, {.operands = {1}, .linear = true}}, .tiled = true};
  for (std::size_t axis = 0; axis + 2 < y; ++axis)
    made.axes.push_back(
        {.out = axis, .in = {broadcast_axis(in[0].shape, axis, y), broadcast_axis(in[1].shape, axis, y)}});
  made.axes.push_back({.out = y - 2, .in = {row, Axis()}});
  made.axes.push_back({.out = y - 1, .in = {Axis(), column}});
  made.axes.push_back(summed({2 * a - 3 - row, 2 * b - 3 - column}));  // the other one of the last two
  ir::ops::Matmul other = op;
  other.transpose_a = !op.transpose_b;
  other.transpose_b = !op.transpose_a;
  made.exchange = Exchange{.op = other, .transposes = true};
  return made;
}

}  // namespace plumb::parity::relations

// Symmetries of ONNX's Gemm: rows, columns and terms, linearity with c alongside, and transposition without c.
#include "ir/ops/gemm.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Gemm& op, ir::Types in, ir::Types) {
  const std::size_t row = op.transpose_a ? 1 : 0, column = op.transpose_b ? 0 : 1;
  AxisSymmetry rows{.out = 0, .in = {row, Axis()}}, columns{.out = 1, .in = {Axis(), column}};
  AxisSymmetry terms = summed({1 - row, 1 - column});
  Symmetries made{.homogeneous = {{.operands = {0}, .linear = true}, {.operands = {1}, .linear = true}}, .tiled = true};
  if (op.has_c) {
    rows.in.push_back(broadcast_axis(in[2].shape, 0, 2));
    columns.in.push_back(broadcast_axis(in[2].shape, 1, 2));
    terms.in.push_back({});
    for (Homogeneity& one : made.homogeneous) one.operands.push_back(2);
  } else {
    ir::ops::Gemm other = op;
    other.transpose_a = !op.transpose_b;
    other.transpose_b = !op.transpose_a;
    made.exchange = Exchange{.op = other, .transposes = true};
  }
  made.axes = {rows, columns, terms};
  return made;
}

}  // namespace plumb::parity::relations

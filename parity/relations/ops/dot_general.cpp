// Symmetries of dot-general: batch, free and contracted axes, and linearity in either operand.
#include "ir/ops/dot_general.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::DotGeneral& op, ir::Types in, ir::Types) {
  const ir::Shape &a = in[0].shape, &b = in[1].shape;
  Symmetries made{.homogeneous = {{.operands = {0}, .linear = true}, {.operands = {1}, .linear = true}}, .tiled = true};
  std::vector<bool> a_free(a.size(), true), b_free(b.size(), true);
  const auto pair = [&](std::int64_t of_a, std::int64_t of_b) {
    a_free[a.axis(of_a)] = b_free[b.axis(of_b)] = false;
    return std::vector<Axis>{a.axis(of_a), b.axis(of_b)};
  };
  std::size_t place = 0;
  for (std::size_t i = 0; i < op.a_batch.size(); ++i)
    made.axes.push_back({.out = place++, .in = pair(op.a_batch[i], op.b_batch[i])});
  for (std::size_t i = 0; i < op.a_contract.size(); ++i)
    made.axes.push_back(summed(pair(op.a_contract[i], op.b_contract[i])));
  for (std::size_t axis = 0; axis < a.size(); ++axis)
    if (a_free[axis]) made.axes.push_back({.out = place++, .in = {axis, Axis()}});
  for (std::size_t axis = 0; axis < b.size(); ++axis)
    if (b_free[axis]) made.axes.push_back({.out = place++, .in = {Axis(), axis}});
  return made;
}

}  // namespace plumb::parity::relations

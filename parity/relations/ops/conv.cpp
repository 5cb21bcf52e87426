#include "ir/ops/conv.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Conv& op, ir::Types in, ir::Types) {
  Symmetries made{.axes = {along(in, 0)},
                  .homogeneous = {{.operands = {0}, .linear = true}, {.operands = {1}, .linear = true}},
                  .tiled = true};
  if (op.has_bias)
    for (Homogeneity& one : made.homogeneous) one.operands.push_back(2);
  if (op.group != 1) return made;  // channels belong to their groups
  AxisSymmetry channels{.out = 1, .in = {Axis(), 0}}, terms = summed({1, 1});
  if (op.has_bias) channels.in.push_back(0), terms.in.push_back({});
  made.axes.insert(made.axes.end(), {channels, terms});
  return made;
}

}  // namespace plumb::parity::relations

#pragma once

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {

/// The symmetries of a convolution of in[0] by in[1], which has y's channels on axis `filters` and those that are
/// summed over on axis `terms_of_filter`.
template <class Op>
Symmetries of_convolution(const Op& op, ir::Types in, std::size_t filters, std::size_t terms_of_filter) {
  Symmetries made{.axes = {along(in, 0)},
                  .homogeneous = {{.operands = {0}, .linear = true}, {.operands = {1}, .linear = true}},
                  .tiled = true};
  if (op.has_bias)
    for (Homogeneity& one : made.homogeneous) one.operands.push_back(2);
  if (op.group != 1) return made;  // channels belong to their groups
  AxisSymmetry channels{.out = 1, .in = {Axis(), filters}}, terms = summed({1, terms_of_filter});
  if (op.has_bias) channels.in.push_back(0), terms.in.push_back({});
  made.axes.insert(made.axes.end(), {channels, terms});
  return made;
}

}  // namespace plumb::parity::relations

// Symmetries of attention: batch, heads, depth and, unless positions count, queries and keys; linear in v.
#include "ir/ops/attention.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Attention& op, ir::Types in, ir::Types) {
  const std::size_t heads = op.layout == ir::ops::AttentionLayout::bhsd ? 1 : 2, length = 3 - heads;
  const std::size_t added = std::size_t{op.has_mask} + std::size_t{op.has_bias};
  // The axes of q, k and v, and that of scores [B, Hq, Sq, Sk], to which masks are broadcast.
  const auto axis = [&](Axis y, std::vector<Axis> qkv, Axis scores, Axis lengths = {}) {
    AxisSymmetry made{.out = y, .in = std::move(qkv), .independent = y.has_value()};
    for (std::size_t i = 0; i < added; ++i)
      made.in.push_back(scores ? broadcast_axis(in[3 + i].shape, *scores, 4) : Axis());
    if (op.has_kv_lengths) made.in.push_back(lengths);
    return made;
  };
  Symmetries made{.homogeneous = {{.operands = {2}, .linear = true}}, .tiled = true};
  made.axes = {axis(0, {0, 0, 0}, 0, 0), axis(3, {Axis(), Axis(), 3}, {}), axis({}, {3, 3, Axis()}, {})};
  if (in[0].shape[heads] == in[1].shape[heads]) made.axes.push_back(axis(heads, {heads, heads, heads}, 1));
  if (op.causal || op.left_window_size >= 0 || op.right_window_size >= 0) return made;  // positions count
  made.axes.push_back(axis(length, {length, Axis(), Axis()}, 2));
  if (!op.has_kv_lengths) made.axes.push_back(axis({}, {Axis(), length, length}, 3));
  return made;
}

}  // namespace plumb::parity::relations

// Heads of attention between the last axis and an axis of their own, and what stands behind the keys in use.
#pragma once

#include <numeric>

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/pad.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::ir::from_onnx {

/// x [B, S, heads·D] as [B, heads, S, D].
inline Ref with_heads_in_front(NodeReader& node, Ref x, std::int64_t heads) {
  const Shape shape = node.shape(x);
  const Ref apart = node.reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
  return node.add(ops::Transpose{{0, 2, 1, 3}}, {apart});
}

/// x [B, heads, S, D] as [B, S, heads·D].
inline Ref with_heads_joined(NodeReader& node, Ref x) {
  const Shape shape = node.shape(x);
  return node.reshape(node.add(ops::Transpose{{0, 2, 1, 3}}, {x}), {shape[0], shape[2], shape[1] * shape[3]});
}

/// 0, 1, ..., count − 1 in i64.
inline Ref steps_of(NodeReader& node, std::int64_t count) {
  std::vector<std::int64_t> steps(static_cast<std::size_t>(count));
  std::iota(steps.begin(), steps.end(), 0);
  return node.constant(steps);
}

/// The pad that makes the last axis of `shape` as long as there are keys.
inline ops::Pad pad_to_keys(const Shape& shape, std::int64_t keys) {
  ops::Pad pad{.pads = std::vector<std::int64_t>(2 * shape.size(), 0)};
  pad.pads.back() = keys - shape.back();
  return pad;
}

}  // namespace plumb::ir::from_onnx

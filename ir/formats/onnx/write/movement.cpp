// Ops that move elements, and tensors that are known when a graph is written.
#include <algorithm>
#include <limits>

#include "ir/formats/onnx/write/writers.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/depth_to_space.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/pad.hpp"
#include "ir/ops/range.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/reverse.hpp"
#include "ir/ops/roll.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/space_to_depth.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/tile.hpp"
#include "ir/ops/transpose.hpp"
#include "ir/ops/trilu.hpp"
#include "ir/ops/window.hpp"

namespace plumb::ir::to_onnx {
namespace {

/// Before the first element of an axis, from where positions that are negative count from its end.
constexpr std::int64_t before_all = std::numeric_limits<std::int64_t>::min();

Numbers as_numbers(const Shape& shape) { return {shape.begin(), shape.end()}; }

void write_bytes(const Bytes& bytes, NodeWriter& node) {
  Tensor tensor(node.result_type());
  std::ranges::copy(bytes, tensor.bytes().begin());
  node.constant(tensor);
}

void write_constant(const ops::Constant& op, NodeWriter& node) { write_bytes(op.data, node); }

/// Both executors use tables that the host makes, which no operator need have in every bit.
template <class Op>
void write_table(const Op& op, NodeWriter& node) {
  node.require_room(node.result_type().bytes());
  write_bytes(op.values(), node);
}

void write_reshape(const ops::Reshape& /*op*/, NodeWriter& node) {
  const Shape& shape = node.result_type().shape;
  const Attributes made = node.add("Reshape", {node.in(0), node.stored(as_numbers(shape))}, {node.out()});
  if (std::ranges::find(shape, 0) != shape.end()) made.integer("allowzero", 1);
}

void write_transpose(const ops::Transpose& op, NodeWriter& node) {
  node.add("Transpose").integers("perm", op.permutation);
}

void write_expand(const ops::Expand& op, NodeWriter& node) {
  node.add("Expand", {node.in(0), node.stored(op.shape)}, {node.out()});
}

void write_concat(const ops::Concat& op, NodeWriter& node) { node.add("Concat").integer("axis", op.axis); }

void write_split(const ops::Split& op, NodeWriter& node) {
  Names parts;
  for (std::size_t k = 0; k < node.outputs(); ++k) parts.push_back(node.out(k));
  node.add("Split", {node.in(0), node.stored(op.sizes)}, parts).integer("axis", op.axis);
}

void add_slice(NodeWriter& node, const std::string& x, const Numbers& starts, const Numbers& ends, const Numbers& axes,
               const Numbers& steps, const std::string& y) {
  node.add("Slice", {x, node.stored(starts), node.stored(ends), node.stored(axes), node.stored(steps)}, {y});
}

void write_slice(const ops::Slice& op, NodeWriter& node) {
  Numbers starts, ends, steps;
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    const std::int64_t step = op.step(k), size = op.sizes[k], last = op.starts[k] + (size - 1) * step;
    steps.push_back(step);
    starts.push_back(size == 0 ? 0 : op.starts[k]);
    ends.push_back(size == 0 ? 0 : step > 0 ? last + 1 : last > 0 ? last - 1 : before_all);
  }
  if (op.axes.empty())
    node.add("Identity");
  else
    add_slice(node, node.in(0), starts, ends, op.axes, steps, node.out());
}

void write_reverse(const ops::Reverse& op, NodeWriter& node) {
  const Numbers ones(op.axes.size(), -1);
  if (op.axes.empty())
    node.add("Identity");
  else
    add_slice(node, node.in(0), ones, Numbers(op.axes.size(), before_all), op.axes, ones, node.out());
}

/// The end of each axis before its beginning.
void write_roll(const ops::Roll& op, NodeWriter& node) {
  const Shape& shape = node.shape(0);
  Numbers shifts(shape.size(), 0);
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    const std::size_t axis = shape.axis(op.axes[i]);
    const std::int64_t extent = shape[axis];
    if (extent > 0) shifts[axis] = ((shifts[axis] + op.shifts[i] % extent) % extent + extent) % extent;
  }
  std::string x = node.in(0);
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    if (shifts[k] == 0) continue;
    const Numbers axis = {static_cast<std::int64_t>(k)}, from = {shape[k] - shifts[k]};
    const std::string end = node.between(), start = node.between(), rolled = node.between();
    add_slice(node, x, from, {shape[k]}, axis, {1}, end);
    add_slice(node, x, {0}, from, axis, {1}, start);
    node.add("Concat", {end, start}, {rolled}).integer("axis", axis.front());
    x = rolled;
  }
  node.add("Identity", {x}, {node.out()});
}

/// ONNX does not say how often a mirror image or a torus is repeated, nor that an axis is first cropped by them.
void write_pad(const ops::Pad& op, NodeWriter& node) {
  const Shape& shape = node.shape(0);
  const std::size_t rank = shape.size();
  for (std::size_t i = 0; i < op.pads.size() && op.mode != ops::PadMode::constant; ++i) {
    const std::int64_t pad = op.pads[i], extent = shape[i % rank];
    const std::int64_t most = op.mode == ops::PadMode::reflect ? extent - 1 : extent;
    if (pad < 0) NodeWriter::refuse("it crops and pads by ", enum_name(op.mode));
    if (pad > most && op.mode != ops::PadMode::edge)
      NodeWriter::refuse("axis ", i % rank, " of ", extent, " elements is padded by ", pad, " in mode ",
                         enum_name(op.mode));
  }
  if (op.mode == ops::PadMode::wrap) node.require_opset(19);
  Names operands = {node.in(0), node.stored(op.pads)};
  if (op.has_value && op.mode == ops::PadMode::constant) operands.push_back(node.in(1));
  node.add("Pad", operands, {node.out()}).text("mode", enum_name(op.mode));
}

void write_tile(const ops::Tile& op, NodeWriter& node) {
  node.add("Tile", {node.in(0), node.stored(op.repeats)}, {node.out()});
}

void write_trilu(const ops::Trilu& op, NodeWriter& node) {
  node.add("Trilu", {node.in(0), node.stored_number(op.diagonal)}, {node.out()}).integer("upper", op.upper ? 1 : 0);
}

void write_depth_to_space(const ops::DepthToSpace& op, NodeWriter& node) {
  node.add("DepthToSpace").integer("blocksize", op.block).text("mode", op.mode == ops::DepthOrder::dcr ? "DCR" : "CRD");
}

void write_space_to_depth(const ops::SpaceToDepth& op, NodeWriter& node) {
  node.add("SpaceToDepth").integer("blocksize", op.block);
}

}  // namespace

std::span<const Writer> movement_writers() {
  static constexpr Writer table[] = {
      writer<ops::Concat, write_concat>,
      writer<ops::Constant, write_constant>,
      writer<ops::DepthToSpace, write_depth_to_space>,
      writer<ops::Expand, write_expand>,
      writer<ops::Pad, write_pad>,
      writer<ops::Range, write_table>,
      writer<ops::Reshape, write_reshape>,
      writer<ops::Reverse, write_reverse>,
      writer<ops::Roll, write_roll>,
      writer<ops::Slice, write_slice>,
      writer<ops::SpaceToDepth, write_space_to_depth>,
      writer<ops::Split, write_split>,
      writer<ops::Tile, write_tile>,
      writer<ops::Transpose, write_transpose>,
      writer<ops::Trilu, write_trilu>,
      writer<ops::Window, write_table>,
  };
  return table;
}

}  // namespace plumb::ir::to_onnx

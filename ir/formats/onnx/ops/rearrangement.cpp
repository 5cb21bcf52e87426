// Operators that repeat, pad, cut and reorder elements by parameters.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/convert.hpp"
#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/depth_to_space.hpp"
#include "ir/ops/pad.hpp"
#include "ir/ops/range.hpp"
#include "ir/ops/reverse_sequence.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/space_to_depth.hpp"
#include "ir/ops/tile.hpp"
#include "ir/ops/trilu.hpp"

namespace plumb::ir::from_onnx {
namespace {

void pad(NodeReader& node) {
  const Shape& x = node.shape(node.in(0));
  const auto rank = x.size();
  const bool by_attributes = node.opset() < 11;
  auto given = by_attributes ? node.ints(node.opset() < 2 ? "paddings" : "pads") : node.known_ints(1, "pads");
  require(given.has_value(), "attribute 'pads' is missing");
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (node.has(3)) axes = node.known_ints(3, "axes");
  require(given->size() == 2 * axes.size(), "has ", given->size(), " pads for ", axes.size(), " axes");
  std::vector<std::int64_t> pads(2 * rank, 0);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    pads[x.axis(axes[k])] = (*given)[k];
    pads[x.axis(axes[k]) + rank] = (*given)[k + axes.size()];
  }
  std::optional<Ref> value;
  if (by_attributes && node.attribute("value") != nullptr)
    value = node.scalar(node.dtype(node.in(0)), node.real("value"));
  if (!by_attributes && node.has(2)) value = node.reshape(node.in(2), {});
  const ops::Pad op{.pads = pads, .mode = node.choice("mode", ops::PadMode::constant), .has_value = value.has_value()};
  std::vector<Ref> operands = {node.in(0)};
  if (value) operands.push_back(*value);
  node.out(0, node.add(op, operands));
}

/// Along each axis the middle of x, or x in the middle of zeros; what is odd is cut off, or added, at the end.
void center_crop_pad(NodeReader& node) {
  Ref y = node.in(0);
  const Shape x = node.shape(y);
  const auto wanted = node.known_ints(1, "shape");
  std::vector<std::int64_t> axes(x.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = node.ints("axes").value_or(axes);
  require(wanted.size() == axes.size(), "shape has ", wanted.size(), " entries for ", axes.size(), " axes");
  ops::Slice crop;
  ops::Pad pad{.pads = std::vector<std::int64_t>(2 * x.size(), 0)};
  bool pads = false;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto axis = x.axis(axes[k]);
    const auto more = wanted[k] - x[axis];
    require(wanted[k] >= 0, "shape is ", Shape(wanted));
    if (more < 0) {
      crop.axes.push_back(static_cast<std::int64_t>(axis));
      crop.starts.push_back(-more / 2);
      crop.sizes.push_back(wanted[k]);
      crop.steps.push_back(1);
    } else if (more > 0) {
      pad.pads[axis] = more / 2;
      pad.pads[axis + x.size()] = more - more / 2;
      pads = true;
    }
  }
  if (!crop.axes.empty()) y = node.add(crop, {y});
  if (pads) y = node.add(pad, {y});
  node.out(0, y);
}

void tile(NodeReader& node) {
  if (node.opset() < 6) NodeReader::unsupported("tiles one axis, as opsets before 6 did");
  node.out(0, node.add(ops::Tile{node.known_ints(1, "repeats")}, {node.in(0)}));
}

void trilu(NodeReader& node) {
  const auto diagonal = node.has(1) ? node.known_ints(1, "k") : std::vector<std::int64_t>{0};
  require(diagonal.size() == 1, "k must be one number, got ", diagonal.size());
  node.out(0, node.add(ops::Trilu{.upper = node.integer("upper", 1) != 0, .diagonal = diagonal[0]}, {node.in(0)}));
}

void depth_to_space(NodeReader& node) {
  auto mode = node.text("mode", "DCR");
  std::ranges::transform(mode, mode.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const ops::DepthToSpace op{node.integer("blocksize"), NodeReader::choice_of<ops::DepthOrder>("mode", mode)};
  node.out(0, node.add(op, {node.in(0)}));
}

void space_to_depth(NodeReader& node) {
  node.out(0, node.add(ops::SpaceToDepth{node.integer("blocksize")}, {node.in(0)}));
}

void reverse_sequence(NodeReader& node) {
  const ops::ReverseSequence op{.batch_axis = node.integer("batch_axis", 1), .time_axis = node.integer("time_axis", 0)};
  node.out(0, node.add(op, {node.in(0), node.in(1)}));
}

/// How many steps of delta there are from start to limit, without it.
std::uint64_t steps_between(std::int64_t start, std::int64_t limit, std::int64_t delta) {
  const auto bits = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  if (delta > 0) return start < limit ? (bits(limit) - bits(start) - 1) / bits(delta) + 1 : 0;
  return start > limit ? (bits(start) - bits(limit) - 1) / (0 - bits(delta)) + 1 : 0;
}

/// A range of integers, some of which no real attribute holds.
Ref whole_range(NodeReader& node, DType dtype) {
  const auto start = node.known_ints(0, "start")[0], limit = node.known_ints(1, "limit")[0],
             delta = node.known_ints(2, "delta")[0];
  const std::uint64_t count = steps_between(start, limit, delta);
  require(count < std::uint64_t{1} << 40, "has ", count, " elements");
  const Shape shape = {static_cast<std::int64_t>(count)};
  node.take({dtype, shape});
  constexpr std::int64_t most = std::int64_t{1} << 53;
  if (-most <= start && start <= most && -most <= delta && delta <= most)
    return node.add(ops::Range{static_cast<double>(start), static_cast<double>(delta), shape[0], dtype}, {});
  node.take({DType::i64, shape});
  std::vector<std::int64_t> all(count, start);
  for (std::size_t i = 1; i < count; ++i) all[i] = all[i - 1] + delta;
  return node.constant(convert(Tensor::of<std::int64_t>(shape, all), dtype));
}

/// start + i * delta; how many there are is known when the model is read. Runtimes and ONNX's shape inference take the
/// difference in the type of the numbers, where it may be rounded.
void range(NodeReader& node) {
  const DType dtype = node.dtype(node.in(0));
  const auto start = node.known_reals(0, "start"), limit = node.known_reals(1, "limit"),
             delta = node.known_reals(2, "delta");
  require(start.size() == 1 && limit.size() == 1 && delta.size() == 1, "start, limit and delta must be single numbers");
  require(delta[0] != 0, "delta is 0");
  if (is_integer(dtype)) return node.out(0, whole_range(node, dtype));
  const double exact = limit[0] - start[0];
  const double rounded = dtype == DType::f64 ? exact : static_cast<double>(static_cast<float>(exact));
  std::vector<std::int64_t> readings;
  for (const double difference : {rounded, exact}) {
    const double count = std::max(0.0, std::ceil(difference / delta[0]));
    require(count < 0x1p40, "has ", count, " elements");
    readings.push_back(static_cast<std::int64_t>(count));
  }
  const std::int64_t count = node.declared_among(0, 0, readings);
  node.take({dtype, {count}});
  node.out(0, node.add(ops::Range{.start = start[0], .delta = delta[0], .count = count, .dtype = dtype}, {}));
}

}  // namespace

std::span<const Converter> rearrangement_converters() {
  static constexpr Converter table[] = {
      {"CenterCropPad", center_crop_pad},    {"DepthToSpace", depth_to_space}, {"Pad", pad},   {"Range", range},
      {"ReverseSequence", reverse_sequence}, {"SpaceToDepth", space_to_depth}, {"Tile", tile}, {"Trilu", trilu},
      {"com.microsoft.Trilu", trilu},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx

// Operators that move elements.

#include <algorithm>
#include <numeric>

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::ir::from_onnx {
namespace {

void transpose(NodeReader& node) {
  std::vector<std::int64_t> reversed(node.shape(node.in(0)).size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  node.out(0, node.add(ops::Transpose{node.ints("perm").value_or(reversed)}, {node.in(0)}));
}

void concat(NodeReader& node) {
  std::vector<Ref> parts;
  for (std::size_t i = 0; i < node.inputs(); ++i) parts.push_back(node.in(i));
  const auto axis = node.opset() < 4 ? node.integer("axis", 1) : node.integer("axis");
  node.out(0, node.add(ops::Concat{axis}, parts));
}

/// Sizes of as many parts as wanted: equal ones, and a smaller last one.
std::vector<std::int64_t> equal_parts(std::int64_t extent, std::int64_t parts) {
  require(1 <= parts, "splits into ", parts, " parts");
  const auto chunk = (extent + parts - 1) / parts;
  require((parts - 1) * chunk <= extent, extent, " elements do not make ", parts - 1, " parts of ", chunk,
          " and a smaller one");
  std::vector<std::int64_t> sizes;
  for (std::int64_t k = 0, rest = extent; k < parts; ++k) {
    sizes.push_back(std::min(chunk, rest));
    rest -= sizes.back();
  }
  return sizes;
}

void split(NodeReader& node) {
  const Shape& x = node.shape(node.in(0));
  const auto axis = node.integer("axis", 0);
  const auto parts = static_cast<std::int64_t>(node.outputs());
  const auto sizes = node.ints_of("split", 1);
  const auto wanted = node.integer("num_outputs", parts);  // from opset 18 on, where there is no `split`
  require(wanted == parts, "num_outputs is ", wanted, ", the node has ", parts, " outputs");
  require(!sizes || node.attribute("num_outputs") == nullptr, "has both split and num_outputs");
  const ops::Split op{axis, sizes ? *sizes : equal_parts(x[x.axis(axis)], parts)};
  const auto results = node.add_all(op, {node.in(0)});
  require(results.size() == node.outputs(), "has ", node.outputs(), " outputs for ", results.size(), " parts");
  for (std::size_t k = 0; k < results.size(); ++k) node.out(k, results[k]);
}

/// start:end:step of an axis as ONNX clamps it.
struct Cut {
  std::int64_t start, size;
};

Cut clamped(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t extent) {
  require(step != 0, "a step is 0");
  const auto place = [&](std::int64_t position, std::int64_t low, std::int64_t high) {
    if (position < 0) position += extent;  // cannot overflow: extent >= 0
    return std::clamp(position, low, high);
  };
  if (step > 0) {
    const auto first = place(start, 0, extent), last = place(end, 0, extent);
    return {first, last > first ? (last - first - 1) / step + 1 : 0};
  }
  if (extent == 0) return {0, 0};
  const auto first = place(start, 0, extent - 1), last = place(end, -1, extent - 1);
  return {first, first > last ? (last - first + 1) / step + 1 : 0};
}

void slice(NodeReader& node) {
  const bool by_attributes = node.opset() < 10;
  const auto starts = by_attributes ? node.ints("starts") : node.known_ints(1, "starts");
  const auto ends = by_attributes ? node.ints("ends") : node.known_ints(2, "ends");
  require(starts && ends, "starts or ends are missing");
  auto axes = by_attributes ? node.ints("axes") : node.ints_of("axes", 3);
  auto steps = node.has(4) ? node.known_ints(4, "steps") : std::vector<std::int64_t>(starts->size(), 1);
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  require(starts->size() == axes->size() && ends->size() == axes->size() && steps.size() == axes->size(), "cuts ",
          axes->size(), " axes with ", starts->size(), " starts, ", ends->size(), " ends, ", steps.size(), " steps");
  ops::Slice op{.axes = *axes, .starts = {}, .sizes = {}, .steps = steps};
  const Shape& x = node.shape(node.in(0));
  for (std::size_t k = 0; k < axes->size(); ++k) {
    const auto cut = clamped((*starts)[k], (*ends)[k], steps[k], x[x.axis((*axes)[k])]);
    op.starts.push_back(cut.start);
    op.sizes.push_back(cut.size);
  }
  node.out(0, node.add(op, {node.in(0)}));
}

}  // namespace

std::span<const Converter> movement_converters() {
  static constexpr Converter table[] = {
      {"Concat", concat},
      {"Slice", slice},
      {"Split", split},
      {"Transpose", transpose},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx

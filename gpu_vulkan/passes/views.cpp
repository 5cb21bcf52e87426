// Follows transpose, reshape, split, slice and gather back to the tensor that a value is a strided view of.
#include "gpu_vulkan/passes/views.hpp"

#include <algorithm>

#include "ir/ops/gather.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

using ir::Shape;
using ir::Value;
using Strides = std::vector<std::int64_t>;

void drop_single_positions(const Shape& shape, Strides& strides) {
  for (std::size_t axis = 0; axis < strides.size(); ++axis)
    if (shape[axis] == 1) strides[axis] = 0;
}

/// Positions at one distance from each other: one axis, or neighbouring ones that go on where the next begins again.
struct Run {
  std::int64_t extent, stride;
};

std::vector<Run> runs_of(const Shape& shape, const Strides& strides) {
  std::vector<Run> runs;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    if (!runs.empty() && runs.back().stride == shape[axis] * strides[axis])
      runs.back() = {runs.back().extent * shape[axis], strides[axis]};
    else
      runs.push_back({shape[axis], strides[axis]});
  }
  return runs;
}

/// Strides of the same elements by other axes, where each lies within a run.
std::optional<Strides> reshaped(const Shape& from, const Strides& strides, const Shape& to) {
  std::vector<Run> runs = runs_of(from, strides);
  Strides next(to.size(), 0);
  for (std::size_t axis = to.size(); axis-- > 0;) {
    if (to[axis] == 1) continue;
    if (runs.empty() || runs.back().extent % to[axis] != 0) return std::nullopt;
    Run& run = runs.back();
    next[axis] = run.stride;
    run = {run.extent / to[axis], run.stride * to[axis]};
    if (run.extent == 1) runs.pop_back();
  }
  return next;
}

/// A node that only moves elements: what it makes of a view of the value that it reads.
struct Step {
  const PatternGraph& graph;
  const ir::Node& node;
  Value y;
  const Shape& from;  ///< the shape of the value that the node reads

  std::optional<View> through(View x) const {
    const ir::Op& op = node.op;
    if (op.is<ir::ops::Transpose>()) return transposed(std::move(x), op.as<ir::ops::Transpose>());
    if (op.is<ir::ops::Split>()) return split(std::move(x), op.as<ir::ops::Split>());
    if (op.is<ir::ops::Slice>()) return sliced(std::move(x), op.as<ir::ops::Slice>());
    if (op.is<ir::ops::Gather>()) return gathered(std::move(x), op.as<ir::ops::Gather>());
    auto strides = reshaped(from, x.strides, graph.type(y).shape);
    if (!strides) return std::nullopt;
    x.strides = std::move(*strides);
    return x;
  }

 private:
  static View transposed(View x, const ir::ops::Transpose& op) {
    const Strides given = x.strides;
    std::ranges::transform(op.permutation, x.strides.begin(),
                           [&](std::int64_t axis) { return given[static_cast<std::size_t>(axis)]; });
    return x;
  }
  View split(View x, const ir::ops::Split& op) const {
    const std::size_t axis = from.axis(op.axis);
    for (std::size_t i = 0; node.outputs[i] != y; ++i) x.offset += op.sizes[i] * x.strides[axis];
    return x;
  }
  std::optional<View> sliced(View x, const ir::ops::Slice& op) const {
    for (std::size_t i = 0; i < op.axes.size(); ++i) {
      auto& stride = x.strides[from.axis(op.axes[i])];
      if (op.step(i) < 0) return std::nullopt;
      x.offset += op.starts[i] * stride;
      stride *= op.sizes[i] > 1 ? op.step(i) : 0;
    }
    return x;
  }
  std::optional<View> gathered(View x, const ir::ops::Gather& op) const {
    const Value indices = node.inputs[1];
    if (graph.type(indices).shape.elements() != 1) return std::nullopt;
    const auto known = graph.known(indices);
    if (!known) return std::nullopt;
    const std::size_t axis = from.axis(op.axis);
    const auto index = static_cast<std::int64_t>(known->as<double>()[0]);
    if (index < -from[axis] || index >= from[axis]) return std::nullopt;  // the executor reports it
    x.offset += (index < 0 ? index + from[axis] : index) * x.strides[axis];
    const auto at = x.strides.begin() + static_cast<std::ptrdiff_t>(axis);
    x.strides.insert(x.strides.erase(at), graph.type(indices).shape.size(), 0);
    return x;
  }
};

bool is_movement(const ir::Op& op) {
  return op.is<ir::ops::Transpose>() || op.is<ir::ops::Split>() || op.is<ir::ops::Slice>() ||
         op.is<ir::ops::Gather>() || op.is<ir::ops::Reshape>();
}

View whole(const PatternGraph& graph, Value v) {
  View x{v, 0, graph.type(v).shape.strides()};
  drop_single_positions(graph.type(v).shape, x.strides);
  return x;
}

}  // namespace

View view_of(const PatternGraph& graph, Value v) {
  std::vector<Value> way;  // from v to what it is taken from, without that
  Value base = v;
  for (auto n = graph.graph().producer(v); n && is_movement(graph.graph().nodes()[*n].op);
       n = graph.graph().producer(base)) {
    if (graph.type(base).shape.elements() == 0) break;
    way.push_back(base);
    base = graph.graph().nodes()[*n].inputs[0];
  }
  View x = whole(graph, base);
  for (std::size_t i = way.size(); i-- > 0;) {
    const std::size_t n = graph.producer(way[i]);
    const ir::Node& node = graph.graph().nodes()[n];
    auto next = Step{graph, node, way[i], graph.type(node.inputs[0]).shape}.through(std::move(x));
    if (next) next->nodes.insert(n);
    x = next ? std::move(*next) : whole(graph, way[i]);
    drop_single_positions(graph.type(way[i]).shape, x.strides);
  }
  return x;
}

}  // namespace plumb::gpu_vulkan::passes

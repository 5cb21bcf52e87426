// Loops that several ops have alike.
#include "ir/kernels/op_loops.hpp"

#include <algorithm>
#include <set>

#include "ir/kernels/einsum.hpp"

namespace plumb::ir::kernels {

Axis broadcast_axis(const Shape& x, std::size_t out, std::size_t rank) {
  if (out + x.size() < rank) return {};
  const std::size_t axis = out + x.size() - rank;
  return x[axis] == 1 ? Axis() : Axis(axis);
}

std::vector<Loop> elementwise(Types in, const Shape& out) {
  std::vector<Loop> loops;
  for (std::size_t axis = 0; axis < out.size(); ++axis) {
    loops.push_back({.out = axis});
    for (const TensorType& x : in) loops.back().in.push_back(broadcast_axis(x.shape, axis, out.size()));
  }
  return loops;
}

Loop along(Types in, std::size_t axis, std::vector<Axis> others) {
  Loop loop{.out = axis, .in = std::move(others)};
  loop.in.insert(loop.in.begin(), axis);
  loop.in.resize(in.size());
  return loop;
}

Loop summed(std::vector<Axis> in) {
  return {.in = std::move(in), .steps = StepOrder::unordered, .reduction = Reduction::sum};
}

Loop taps(std::vector<Axis> in, Axis out) {
  return {.out = out, .in = std::move(in), .steps = StepOrder::ordered, .reduction = Reduction::sum};
}

std::vector<Loop> lines(Types in, const std::vector<bool>& is_reduced, Reduction reduction) {
  std::vector<Loop> loops;
  for (std::size_t a = 0; a < is_reduced.size(); ++a) {
    loops.push_back(along(in, a));
    if (is_reduced[a]) {
      loops.back().steps = StepOrder::unordered;
      loops.back().reduction = reduction;
    }
  }
  return loops;
}

std::vector<Loop> lines(Types in, std::int64_t axis, Reduction reduction) {
  std::vector<bool> is_reduced(in[0].shape.size(), false);
  is_reduced[in[0].shape.axis(axis)] = true;
  return lines(in, is_reduced, reduction);
}

std::vector<Loop> ordered_lines(Types in, std::int64_t axis, Reduction reduction) {
  std::vector<Loop> loops = lines(in, axis, reduction);
  loops[in[0].shape.axis(axis)].steps = StepOrder::ordered;
  return loops;
}

std::vector<Loop> norm(Types in, std::size_t first) {
  std::vector<Loop> loops = elementwise(in, in[0].shape);
  for (std::size_t a = 0; a < loops.size(); ++a) {
    loops[a].in[0] = a;
    if (a >= first) {
      loops[a].steps = StepOrder::unordered;
      loops[a].reduction = Reduction::other;
    }
  }
  return loops;
}

Loops convolution(Types in, std::int64_t group, std::size_t filters, std::size_t terms) {
  Loops made{.operands = {linear_data, linear_factor, {.role = Role::addend}}};
  made.operands.resize(in.size());
  made.loops = {along(in, 0), {.out = 1, .in = {Axis(), filters}}};
  if (in.size() > 2) made.loops.back().in.push_back(0);
  if (group == 1) {
    made.loops.push_back(summed({1, terms}));
  } else {  // channels belong to their groups
    made.loops.back().steps = StepOrder::ordered;
    made.loops.push_back(taps({Axis(), terms}));
    made.loops.push_back(taps({1}, 1));
  }
  for (std::size_t a = 2; a < in[0].shape.size(); ++a) {
    made.loops.push_back(taps({a}, a));
    made.loops.push_back(taps({Axis(), a}));
  }
  return made;
}

std::vector<Loop> einsum(std::string_view equation, Types in) {
  std::vector<Shape> shapes;
  for (const TensorType& x : in) shapes.push_back(x.shape);
  const std::vector<Labels> axes = axes_of_einsum(equation, shapes);
  const Labels& result = axes.back();
  std::set<Label> labels, diagonals;
  for (const Labels& one : axes)
    for (const Label label : one)
      if (!labels.insert(label).second && std::ranges::count(one, label) > 1) diagonals.insert(label);
  std::vector<Loop> loops;
  for (const Label label : labels) {
    if (diagonals.contains(label)) continue;
    const auto axis = [label](const Labels& one) {
      const auto found = std::ranges::find(one, label);
      return found == one.end() ? Axis() : Axis(found - one.begin());
    };
    Loop loop = axis(result) ? Loop{.out = axis(result)} : summed({});
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Axis own = axis(axes[i]);
      loop.in.push_back(own && in[i].shape[*own] == 1 ? Axis() : own);  // one that an ellipsis may stretch
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

OperandUse index_along(std::int64_t extent) { return {.role = Role::index, .low = -extent, .high = extent}; }

OperandUse start_within(const Shape& x) {
  std::int64_t high = 2;
  for (const std::int64_t extent : x) high = std::max(high, extent + 1);
  return {.role = Role::index, .low = -high, .high = high};
}

}  // namespace plumb::ir::kernels

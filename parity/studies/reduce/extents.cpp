// Makes smaller candidates by shorter axes.
#include <algorithm>
#include <numeric>
#include <set>

#include "ir/loops.hpp"
#include "parity/studies/reduce/candidate.hpp"

namespace plumb::parity::studies::reduce {
namespace {

using ValueAxis = std::pair<ir::Value, std::size_t>;

/// Which axes of values go together: each has a representative.
class Ties {
 public:
  ValueAxis find(ValueAxis axis) {
    const auto found = parents_.find(axis);
    return found == parents_.end() ? axis : found->second = find(found->second);
  }
  void tie(ValueAxis a, ValueAxis b) {
    if (find(a) != find(b)) parents_[find(a)] = find(b);
  }

 private:
  std::map<ValueAxis, ValueAxis> parents_;
};

void tie_axes_of(const ir::Graph& graph, const ir::Node& node, Ties& ties) {
  for (const ir::Loop& loop : ir::loops_of(graph, node).loops) {
    std::vector<ValueAxis> together;
    const auto add = [&](ir::Value v, ir::Axis axis) {
      if (axis && *axis < graph.type(v).shape.size()) together.emplace_back(v, *axis);
    };
    add(node.outputs.front(), loop.out);
    for (std::size_t i = 0; i < std::min(loop.in.size(), node.inputs.size()); ++i) add(node.inputs[i], loop.in[i]);
    const auto extent = [&](const ValueAxis& one) { return graph.type(one.first).shape[one.second]; };
    for (std::size_t i = 1; i < together.size(); ++i)
      if (extent(together[i]) == extent(together[0])) ties.tie(together[i], together[0]);
  }
}

ir::Tensor crop(const ir::Tensor& tensor, std::size_t axis, std::int64_t extent, End kept) {
  ir::TensorType type = tensor.type();
  const ir::Lines lines = ir::along(type.shape, static_cast<std::int64_t>(axis));
  type.shape[axis] = extent;
  ir::Tensor made(type);
  // Whole stretches of the axes behind this one are copied.
  const std::size_t row = static_cast<std::size_t>(lines.inner) * ir::info(type.dtype).bytes;
  const std::size_t from = static_cast<std::size_t>(lines.length) * row, to = static_cast<std::size_t>(extent) * row;
  const std::size_t skipped = kept == End::front ? 0 : from - to;
  const std::span<std::byte> bytes = made.bytes();
  for (std::size_t outer = 0; outer < static_cast<std::size_t>(lines.outer); ++outer)
    std::ranges::copy(tensor.bytes().subspan(outer * from + skipped, to), bytes.subspan(outer * to).begin());
  return made;
}

/// The op with whole numbers of its attributes scaled as the extent was, one at a time: those that state shapes.
std::vector<ir::Op> amended(const ir::Op& op, std::int64_t from, std::int64_t to) {
  std::vector<ir::Op> made;
  const ir::Attributes attributes = op.attributes();
  const auto add = [&](const std::string& name, const ir::Attribute& value) {
    ir::Attributes changed = attributes;
    changed.insert_or_assign(name, value);
    try {
      made.push_back(op.schema().read(changed));
    } catch (const ir::Error&) {
    }  // the op has no such attribute
  };
  const auto is_scaled = [&](std::int64_t x) { return x > 0 && x <= INT64_MAX / to && x * to % from == 0; };
  for (const auto& [name, attribute] : attributes) {
    if (const auto* const one = std::get_if<std::int64_t>(&attribute); one != nullptr && is_scaled(*one))
      add(name, *one * to / from);
    const auto* const many = std::get_if<std::vector<std::int64_t>>(&attribute);
    for (std::size_t i = 0; many != nullptr && i < many->size(); ++i) {
      std::vector<std::int64_t> changed = *many;
      if (!is_scaled(changed[i])) continue;
      changed[i] = changed[i] * to / from;
      add(name, changed);
    }
  }
  return made;
}

/// Adds a node, with its attributes amended where it cannot be as it was; false where it cannot be at all.
bool add_node(ir::Graph& graph, const ir::Node& node, std::int64_t from, std::int64_t to) {
  std::vector<ir::Op> ops = amended(node.op, from, to);
  ops.insert(ops.begin(), node.op);
  for (const ir::Op& op : ops) try {
      graph.add_all(node.label, op, node.inputs);
      return true;
    } catch (const ir::Error&) {
    }  // the next one may fit
  return false;
}

}  // namespace

std::vector<TiedAxes> tied_axes(const ir::Graph& graph) {
  Ties ties;
  for (const ir::Node& node : graph.nodes()) tie_axes_of(graph, node, ties);
  std::map<ValueAxis, TiedAxes> by_loops;
  std::map<std::int64_t, TiedAxes> by_extent, by_factor;
  std::vector<TiedAxes> alone;
  for (ir::Value v = 0; graph.is_source(v); ++v) {
    const ir::Shape& shape = graph.type(v).shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] < 2) continue;
      by_factor.try_emplace(shape[axis]);
      for (TiedAxes* const group : {&by_loops[ties.find({v, axis})], &by_extent[shape[axis]], &alone.emplace_back()}) {
        group->extent = shape[axis];
        group->axes.push_back({v, axis});
      }
    }
  }
  for (auto& [extent, group] : by_factor) {
    group.extent = extent;
    for (const TiedAxes& one : alone)
      if (one.extent % extent == 0) group.axes.push_back(one.axes.front());
  }
  std::vector<TiedAxes> groups;
  const auto add = [&](const TiedAxes& group) {
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  };
  for (const auto& [axis, group] : by_loops) add(group);
  std::ranges::stable_sort(groups, std::ranges::greater(), &TiedAxes::extent);
  for (const auto& [extent, group] : by_extent) add(group);
  for (const auto& [extent, group] : by_factor) add(group);
  for (const TiedAxes& group : alone) add(group);
  return groups;
}

std::vector<std::int64_t> smaller_extents(std::int64_t extent) {
  std::vector<std::int64_t> tried;
  const auto add = [&](std::int64_t one) {
    if (one >= 1 && one < extent && std::ranges::find(tried, one) == tried.end()) tried.push_back(one);
  };
  for (const std::int64_t one : {std::int64_t{1}, std::int64_t{2}, extent / 2}) add(one);
  for (const std::int64_t modulus : {128, 64, 32, 16, 8}) add(extent % modulus == 0 ? modulus : extent % modulus);
  add(extent - 1);
  return tried;
}

std::optional<Candidate> cropped(const Candidate& candidate, const TiedAxes& axes, std::int64_t extent, End kept) {
  const ir::Graph& was = candidate.graph;
  Candidate made{.graph = {}, .sources = candidate.sources};
  for (ir::Value v = 0; was.is_source(v); ++v) {
    ir::TensorType type = was.type(v);
    const std::string name = was.name(v);
    for (const SourceAxis& one : axes.axes) {
      if (one.source != v) continue;
      std::int64_t& own = type.shape[one.axis];
      own = own / axes.extent * extent;
      if (auto* const tensor = std::get_if<ir::Tensor>(&made.sources.at(name)))
        *tensor = crop(*tensor, one.axis, own, kept);
    }
    v < was.inputs().size() ? made.graph.input(name, type) : made.graph.param(name, type);
  }
  for (const ir::Node& node : was.nodes())
    if (!add_node(made.graph, node, axes.extent, extent)) return std::nullopt;
  if (made.graph.value_count() != was.value_count()) return std::nullopt;  // a node has more outputs, or fewer
  for (const ir::Value v : was.results()) made.graph.returns(v);
  return made;
}

}  // namespace plumb::parity::studies::reduce

// Finds how a value of a graph is used.
#include "ir/adversarial/use.hpp"

#include <algorithm>
#include <set>

#include "ir/cost.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::ir::adversarial {
namespace {

/// The axes that attributes called `axis` or `axes` name, which is what ops call those along which they sum.
std::vector<std::size_t> named_axes(const Op& op, const Shape& shape) {
  std::vector<std::int64_t> named;
  const Attributes attributes = op.attributes();
  if (const auto found = attributes.find("axes"); found != attributes.end()) {
    if (const auto* many = std::get_if<std::vector<std::int64_t>>(&found->second)) named = *many;
  } else if (const auto one = attributes.find("axis"); one != attributes.end()) {
    if (const auto* single = std::get_if<std::int64_t>(&one->second)) named = {*single};
  }
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : named)
    if (-shape.rank() <= axis && axis < shape.rank()) axes.push_back(shape.axis(axis));
  std::ranges::sort(axes);
  return axes;
}

/// The axes of a tensor of another rank that lie where these do, seen from the last one.
std::vector<std::size_t> aligned(const std::vector<std::size_t>& axes, std::size_t from, std::size_t to) {
  std::vector<std::size_t> kept;
  for (const std::size_t axis : axes)
    if (axis + to >= from) kept.push_back(axis + to - from);
  return kept;
}

class Readers {
 public:
  explicit Readers(const Graph& graph) : graph_(graph) {}

  /// The uses of a value, the nearest first. Behind an op that maps elements, `is_mapped`, they are no indices any
  /// more.
  std::vector<Use> of(Value value, bool is_mapped = false) {
    std::vector<Use> uses;
    if (!seen_.emplace(value, is_mapped).second) return uses;
    for (const Node& node : graph_.nodes())
      for (std::size_t k = 0; k < node.inputs.size(); ++k)
        if (node.inputs[k] == value) add(node, k, is_mapped, uses);
    return uses;
  }

 private:
  void add(const Node& node, std::size_t operand, bool is_mapped, std::vector<Use>& uses) {
    TensorTypes in, out;
    for (const Value v : node.inputs) in.push_back(graph_.type(v));
    for (const Value v : node.outputs) out.push_back(graph_.type(v));
    const Use own = use_of(node.op, in, out, operand);
    const bool is_bounded = own.role == Role::index || own.role == Role::variance;
    if (is_bounded ? !is_mapped : own.terms > 0 || own.role != Role::data) return uses.push_back(own);
    const bool moves = node.op.error_class() == ErrorClass::bits || node.op.is<ops::Cast>();
    if (is_bounded || (operand > 0 && moves)) return;
    for (Use use : of(node.outputs[0], is_mapped || !moves)) {
      use.axes = before(node.op, use.axes, in[operand].shape.size(), out[0].shape.size());
      uses.push_back(std::move(use));
    }
  }

  /// Axes of a result as axes of the operand that it was made from.
  static std::vector<std::size_t> before(const Op& op, std::vector<std::size_t> axes, std::size_t in, std::size_t out) {
    if (!op.is<ops::Transpose>()) return aligned(axes, out, in);
    const auto& permutation = op.as<ops::Transpose>().permutation;
    for (std::size_t& axis : axes) {
      const std::int64_t from = permutation[axis];
      axis = static_cast<std::size_t>(from < 0 ? from + static_cast<std::int64_t>(in) : from);
    }
    std::ranges::sort(axes);
    return axes;
  }

  const Graph& graph_;
  std::set<std::pair<Value, bool>> seen_;
};

/// The axes of an operand that its op reduces, ascending. Keys are those of the sum of values, not of the scores that
/// they make with queries.
std::vector<std::size_t> reduced_axes(const Loops& loops, std::size_t operand) {
  const bool is_key = loops.operand(operand).role == Role::key;
  std::vector<std::size_t> axes;
  for (const Loop& loop : loops.loops) {
    if (loop.reduction == Reduction::none || operand >= loop.in.size() || !loop.in[operand]) continue;
    bool makes_scores = false;
    for (std::size_t i = 0; i < loop.in.size(); ++i)
      makes_scores |= loop.in[i].has_value() && loops.operand(i).role == Role::query;
    if (!is_key || !makes_scores) axes.push_back(*loop.in[operand]);
  }
  std::ranges::sort(axes);
  return axes;
}

}  // namespace

Use use_of(const Op& op, Types in, Types out, std::size_t operand) {
  const Loops loops = loops_of(op, in, out);
  const OperandUse own = loops.operand(operand);
  const Shape& shape = in[operand].shape;
  Use use{.role = own.role, .axes = reduced_axes(loops, operand), .low = own.low, .high = own.high};
  use.terms = op.schema().cost(op, in, out).contraction;
  if (use.axes.empty()) use.axes = named_axes(op, shape);
  if (own.role == Role::query) use.terms = shape[use.axes.front()];
  if (own.role == Role::key && loops.score_scale != 0)
    use.share = 1 / (loops.score_scale * static_cast<double>(shape.back()));
  return use;
}

Use use_of(const Graph& graph, Value value) {
  const std::vector<Use> uses = Readers(graph).of(value);
  Use found = uses.empty() ? Use{} : uses.front();
  for (const Use& use : uses) {
    if (use.role == Role::variance && found.role != Role::index) found.role = Role::variance;
    if (use.role != Role::index) continue;
    const bool is_first = found.role != Role::index;
    found.role = Role::index;
    found.low = is_first ? use.low : std::max(found.low, use.low);
    found.high = is_first ? use.high : std::min(found.high, use.high);
  }
  const std::size_t rank = graph.type(value).shape.size();
  std::erase_if(found.axes, [rank](std::size_t axis) { return axis >= rank; });
  if (found.axes.empty() && rank > 0) found.axes = {rank - 1};
  return found;
}

}  // namespace plumb::ir::adversarial

#include <algorithm>

#include "gpu_vulkan/passes/passes.hpp"
#include "gpu_vulkan/passes/pattern.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/reduce.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

using ir::Value;
using ir::ops::BinaryFunction;
using ir::ops::Reduce;
using ir::ops::UnaryFunction;

/// A layer norm so far: (x - mean(x)) / √(variance + epsilon), then a scale and a bias.
struct Found {
  Value x = 0, y = 0;
  std::int64_t first_axis = 0;
  double epsilon = 0;
  std::optional<Value> scale = {}, bias = {};
  Nodes nodes = {};
};

/// The first of the axes that v is the mean over, if they are the last of x and stay.
std::optional<std::int64_t> trailing_mean(const PatternGraph& graph, Value v) {
  const auto* reduce = graph.op<Reduce>(v);
  if (reduce == nullptr || reduce->function != ir::ops::ReduceFunction::mean || !reduce->keep_dims) return std::nullopt;
  const auto reduced = reduce->reduced(graph.type(graph.operand(v, 0)).shape);
  const auto first = std::ranges::find(reduced, true);
  if (first == reduced.end() || !std::all_of(first, reduced.end(), [](bool gone) { return gone; })) return std::nullopt;
  return first - reduced.begin();
}

/// The d of v = d².
std::optional<Value> squared(const PatternGraph& graph, Value v) {
  if (graph.is(v, UnaryFunction::square)) return graph.operand(v, 0);
  if (graph.is(v, BinaryFunction::power) && graph.is_number(graph.operand(v, 1), 2)) return graph.operand(v, 0);
  if (graph.is(v, BinaryFunction::multiply) && graph.operand(v, 0) == graph.operand(v, 1)) return graph.operand(v, 0);
  return std::nullopt;
}

/// The a and the number of v = a + number.
std::optional<std::pair<Value, double>> plus_number(const PatternGraph& graph, Value v) {
  if (!graph.is(v, BinaryFunction::add)) return std::nullopt;
  for (const std::size_t i : {0, 1})
    if (const auto number = graph.scalar(graph.operand(v, 1 - i))) return std::pair(graph.operand(v, i), *number);
  return std::nullopt;
}

/// The d and a of v = d / √a or v = d·(1/√a). The nodes besides v are added.
std::optional<std::pair<Value, Value>> over_root(const PatternGraph& graph, Value v, Nodes& nodes) {
  const auto root = [&](Value s) {
    nodes.insert(graph.producer(s));
    return graph.operand(s, 0);
  };
  if (graph.is(v, BinaryFunction::divide) && graph.is(graph.operand(v, 1), UnaryFunction::sqrt))
    return std::pair(graph.operand(v, 0), root(graph.operand(v, 1)));
  if (!graph.is(v, BinaryFunction::multiply)) return std::nullopt;
  for (const std::size_t i : {0, 1}) {
    const Value d = graph.operand(v, i), r = graph.operand(v, 1 - i);
    if (graph.is(r, UnaryFunction::rsqrt)) return std::pair(d, root(r));
    const bool inverts = graph.is(r, UnaryFunction::reciprocal) ||
                         (graph.is(r, BinaryFunction::divide) && graph.is_number(graph.operand(r, 0), 1));
    if (!inverts) continue;
    const Value s = graph.operand(r, graph.is(r, UnaryFunction::reciprocal) ? 0 : 1);
    if (!graph.is(s, UnaryFunction::sqrt)) continue;
    nodes.insert(graph.producer(r));
    return std::pair(d, root(s));
  }
  return std::nullopt;
}

std::optional<Found> standardised(const PatternGraph& graph, Value y) {
  Found found{.y = y, .nodes = {graph.producer(y)}};
  const auto quotient = over_root(graph, y, found.nodes);
  if (!quotient) return std::nullopt;
  const auto [d, inside] = *quotient;
  const auto sum = plus_number(graph, inside);
  if (!sum || !(sum->second >= 0) || !graph.is(d, BinaryFunction::subtract)) return std::nullopt;
  const Value variance = sum->first, mean = graph.operand(d, 1);
  found.x = graph.operand(d, 0);
  found.epsilon = sum->second;
  const auto axis = trailing_mean(graph, mean);
  if (!axis || graph.operand(mean, 0) != found.x || trailing_mean(graph, variance) != axis) return std::nullopt;
  const Value squares = graph.operand(variance, 0);
  if (squared(graph, squares) != d) return std::nullopt;
  if (graph.type(y) != graph.type(found.x)) return std::nullopt;  // a number of higher rank would do that
  found.first_axis = *axis;
  for (const Value v : {inside, d, mean, variance, squares}) found.nodes.insert(graph.producer(v));
  return found;
}

/// The norm with the one operation on its result that is `function` with an operand that
/// broadcasts to it; nothing when there is none.
std::optional<Found> extended(const PatternGraph& graph, Found found, BinaryFunction function) {
  const auto user = graph.only_user(found.y);
  if (!user) return std::nullopt;
  const ir::Node& node = graph.graph().nodes()[*user];
  if (!graph.is(node.outputs[0], function)) return std::nullopt;
  const Value other = node.inputs[node.inputs[0] == found.y ? 1 : 0];
  if (!ir::broadcasts_to(graph.type(other).shape, graph.type(found.x).shape)) return std::nullopt;
  (function == BinaryFunction::multiply ? found.scale : found.bias) = other;
  found.y = node.outputs[0];
  found.nodes.insert(*user);
  return found;
}

std::optional<Replacement> replacement(const PatternGraph& graph, const Found& found) {
  const ir::ops::LayerNorm op{.axis = found.first_axis,
                              .epsilon = found.epsilon,
                              .has_scale = found.scale.has_value(),
                              .has_bias = found.bias.has_value()};
  std::vector<Value> inputs = {found.x};
  for (const auto& operand : {found.scale, found.bias})
    if (operand) inputs.push_back(*operand);
  ir::TensorTypes types;
  for (const Value v : inputs) types.push_back(graph.type(v));
  const std::size_t last = graph.producer(found.y);
  if (!graph.is_closed(found.nodes, last) || !graph.serves(op, types)) return std::nullopt;
  return Replacement{found.nodes, last, [op, inputs](ir::Graph& next, const ir::Node& node) {
                       next.place(node.label, op, inputs, node.outputs);
                     }};
}

}  // namespace

ir::Graph fuse_layer_norms(const ir::Graph& given, const PassSetting& setting) {
  return replaced(given, setting, [&](const PatternGraph& graph, std::size_t n) -> std::optional<Replacement> {
    std::vector<Found> stages;  // from the least to the most
    if (const auto plain = standardised(graph, given.nodes()[n].outputs[0])) stages.push_back(*plain);
    for (const auto function : {BinaryFunction::multiply, BinaryFunction::add})
      if (!stages.empty())
        if (auto more = extended(graph, stages.back(), function)) stages.push_back(std::move(*more));
    for (std::size_t s = stages.size(); s-- > 0;)
      if (auto found = replacement(graph, stages[s])) return found;
    return std::nullopt;
  });
}

}  // namespace plumb::gpu_vulkan::passes

#include <algorithm>

#include "gpu_vulkan/fused_ops/viewed_attention.hpp"
#include "gpu_vulkan/passes/passes.hpp"
#include "gpu_vulkan/passes/pattern.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

using ir::Value;
using ir::ops::BinaryFunction;
using ir::ops::Matmul;
using ir::ops::Softmax;
using ir::ops::Transpose;

/// k, [B, H, Sk, D]: a value, or a value transposed.
struct Keys {
  Value value = 0;
  std::optional<Transpose> turned;
};

struct Found {
  Value q = 0, v = 0, y = 0;
  Keys k = {};
  std::optional<Value> bias = {};
  double scale = 1;
  Nodes nodes = {};
};

/// k from the right operand of q·kᵀ, the node that transposes it among `nodes` if only that reads it.
Keys keys_of(const PatternGraph& graph, Value right, bool transposed, Nodes& nodes) {
  if (transposed) return {right, std::nullopt};
  const auto* turned = graph.op<Transpose>(right);
  if (turned == nullptr) return {right, Transpose{{0, 1, 3, 2}}};
  if (graph.uses(right) == 1) nodes.insert(graph.producer(right));
  Transpose other = *turned;
  std::swap(other.permutation[2], other.permutation[3]);
  const Value from = graph.operand(right, 0);
  if (std::ranges::is_sorted(other.permutation)) return {from, std::nullopt};
  return {from, other};
}

/// Takes factors off the scores: they become the scale.
Value unscaled(const PatternGraph& graph, Value scores, Found& found) {
  if (!graph.is(scores, BinaryFunction::multiply) && !graph.is(scores, BinaryFunction::divide)) return scores;
  const Factors factors = factors_of(graph, scores);
  if (factors.values.size() != 1) return scores;
  found.nodes.insert(factors.nodes.begin(), factors.nodes.end());
  found.scale = factors.number;
  return factors.values[0];
}

/// The operand of a + b that is (scaled) q·kᵀ; the other is the bias.
Value without_bias(const PatternGraph& graph, Value scores, Found& found) {
  if (!graph.is(scores, BinaryFunction::add)) return scores;
  for (const std::size_t i : {0, 1}) {
    Found trial = found;
    const Value part = graph.operand(scores, i);
    if (graph.op<Matmul>(unscaled(graph, part, trial)) == nullptr) continue;
    if (graph.type(part).shape != graph.type(scores).shape) continue;
    found.bias = graph.operand(scores, 1 - i);
    found.nodes.insert(graph.producer(scores));
    return part;
  }
  return scores;
}

/// y = softmax(scale·q·kᵀ + bias)·v.
std::optional<Found> found_at(const PatternGraph& graph, Value y) {
  const auto* second = graph.op<Matmul>(y);
  if (second == nullptr || second->transpose_a || second->transpose_b || second->output_dtype) return std::nullopt;
  Found found{.v = graph.operand(y, 1), .y = y, .nodes = {graph.producer(y)}};
  const Value weights = graph.operand(y, 0);
  const auto* softmax = graph.op<Softmax>(weights);
  const ir::Shape& shape = graph.type(weights).shape;
  if (softmax == nullptr || shape.rank() != 4 || shape.axis(softmax->axis) != 3) return std::nullopt;
  found.nodes.insert(graph.producer(weights));
  const Value scores = unscaled(graph, without_bias(graph, graph.operand(weights, 0), found), found);
  const auto* first = graph.op<Matmul>(scores);
  if (first == nullptr || first->transpose_a || first->output_dtype) return std::nullopt;
  const Value right = graph.operand(scores, 1);
  found.q = graph.operand(scores, 0);
  for (const Value v : {found.q, right, found.v})
    if (graph.type(v).shape.rank() != 4) return std::nullopt;
  found.nodes.insert(graph.producer(scores));
  found.k = keys_of(graph, right, first->transpose_b, found.nodes);
  return found;
}

ir::Shape turned_shape(const ir::Shape& x, const Keys& k) {
  if (!k.turned) return x;
  ir::Shape shape;
  for (const auto axis : k.turned->permutation) shape.push_back(x[static_cast<std::size_t>(axis)]);
  return shape;
}

/// The attention that it is. Attention masks keys whose bias is -inf, a softmax does not: where there is a bias, the op
/// says so.
ir::Op attention_of(const Found& found, const ir::TensorTypes& types) {
  const ir::ops::Attention plain{.scale = found.scale, .has_bias = found.bias.has_value()};
  if (!found.bias) return plain;
  return fused_ops::ViewedAttention::unmasked(plain, types[0].shape, types[1].shape, types[2].shape);
}

std::optional<Replacement> replacement(const PatternGraph& graph, const Found& found) {
  ir::TensorTypes types = {graph.type(found.q), graph.type(found.k.value), graph.type(found.v)};
  types[1].shape = turned_shape(types[1].shape, found.k);
  const auto heads = [&](std::size_t i) { return types[i].shape.leading(2); };
  if (heads(0) != heads(1) || heads(0) != heads(2)) return std::nullopt;  // a product broadcasts, attention groups
  if (found.bias) types.push_back(graph.type(*found.bias));
  const ir::Op op = attention_of(found, types);
  const std::size_t last = graph.producer(found.y);
  if (!graph.is_closed(found.nodes, last) || !graph.serves(op, types)) return std::nullopt;
  return Replacement{found.nodes, last, [op, found, &given = graph.graph()](ir::Graph& next, const ir::Node& node) {
                       Value k = found.k.value;
                       if (found.k.turned) k = next.add(new_name(given, next, node.label + ".k"), *found.k.turned, {k});
                       std::vector<Value> inputs = {found.q, k, found.v};
                       if (found.bias) inputs.push_back(*found.bias);
                       next.place(node.label, op, inputs, node.outputs);
                     }};
}

}  // namespace

ir::Graph fuse_attentions(const ir::Graph& given, const PassSetting& setting) {
  return replaced(given, setting, [&](const PatternGraph& graph, std::size_t n) {
    const auto found = found_at(graph, given.nodes()[n].outputs[0]);
    return found ? replacement(graph, *found) : std::nullopt;
  });
}

}  // namespace plumb::gpu_vulkan::passes

// Sinks transposes: around attention into its layout, in front of a product into its transpose flags.
#include <algorithm>

#include "gpu_vulkan/passes/passes.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

using ir::Value;
using ir::ops::Attention;
using ir::ops::AttentionLayout;
using ir::ops::Matmul;
using ir::ops::Transpose;

bool is_transpose(const PatternGraph& graph, Value v, const std::vector<std::int64_t>& permutation) {
  const auto* transpose = graph.op<Transpose>(v);
  return transpose != nullptr && transpose->permutation == permutation;
}

/// The value that v is the transpose of, for node n to read instead; the transposing node goes
/// where nothing else needs it.
Value passed_by(const PatternGraph& graph, Value v, std::size_t n, Nodes& nodes) {
  const std::size_t transpose = graph.producer(v);
  if (graph.is_closed({transpose, n}, n)) nodes.insert(transpose);
  return graph.operand(v, 0);
}

/// Heads before positions in q, k and v, and behind them again in y: the other layout.
std::optional<Replacement> attention_at(const PatternGraph& graph, std::size_t n) {
  const ir::Node& node = graph.graph().nodes()[n];
  const auto* attention = graph.op<Attention>(node.outputs[0]);
  if (attention == nullptr || attention->layout != AttentionLayout::bhsd) return std::nullopt;
  const std::vector<std::int64_t> swapped = {0, 2, 1, 3};
  const auto last = graph.only_user(node.outputs[0]);
  if (!last || !is_transpose(graph, graph.graph().nodes()[*last].outputs[0], swapped)) return std::nullopt;
  std::vector<Value> inputs = node.inputs;
  Nodes nodes = {n, *last};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!is_transpose(graph, inputs[i], swapped)) return std::nullopt;
    inputs[i] = passed_by(graph, inputs[i], n, nodes);
  }
  Attention op = *attention;
  op.layout = AttentionLayout::bshd;
  ir::TensorTypes types;
  for (const Value v : inputs) types.push_back(graph.type(v));
  if (!graph.is_closed(nodes, *last) || !graph.serves(op, types)) return std::nullopt;
  return Replacement{nodes, *last, [op, inputs](ir::Graph& next, const ir::Node& at) {
                       next.place(at.label, op, inputs, at.outputs);
                     }};
}

/// Rows and columns swapped before a product.
std::optional<Replacement> product_at(const PatternGraph& graph, std::size_t n) {
  const ir::Node& node = graph.graph().nodes()[n];
  const auto* matmul = graph.op<Matmul>(node.outputs[0]);
  if (matmul == nullptr) return std::nullopt;
  Matmul op = *matmul;
  std::vector<Value> inputs = node.inputs;
  Nodes nodes = {n};
  for (std::size_t i = 0; i < 2; ++i) {
    const ir::Shape& shape = graph.type(inputs[i]).shape;
    std::vector<std::int64_t> swapped(shape.size());
    for (std::size_t axis = 0; axis < swapped.size(); ++axis) swapped[axis] = static_cast<std::int64_t>(axis);
    std::swap(swapped[swapped.size() - 2], swapped[swapped.size() - 1]);
    if (!is_transpose(graph, inputs[i], swapped)) continue;
    inputs[i] = passed_by(graph, inputs[i], n, nodes);
    bool& flag = i == 0 ? op.transpose_a : op.transpose_b;
    flag = !flag;
  }
  if (inputs == node.inputs || !graph.is_closed(nodes, n)) return std::nullopt;
  return Replacement{
      nodes, n, [op, inputs](ir::Graph& next, const ir::Node& at) { next.place(at.label, op, inputs, at.outputs); }};
}

}  // namespace

ir::Graph sink_transposes(const ir::Graph& given, const PassSetting& setting) {
  return replaced(given, setting, [](const PatternGraph& graph, std::size_t n) {
    auto found = attention_at(graph, n);
    return found ? std::move(found) : product_at(graph, n);
  });
}

}  // namespace plumb::gpu_vulkan::passes

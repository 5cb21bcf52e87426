// Fuses what follows a convolution, the add of a residual, relu and clamps by numbers, into its epilogue.
#include <cmath>

#include "gpu_vulkan/fused_ops/fused_conv.hpp"
#include "gpu_vulkan/passes/passes.hpp"
#include "ir/ops/clamp.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

using ir::Value;
using ir::ops::BinaryFunction;
using ir::ops::Clamp;
using ir::ops::Conv;

struct Found {
  fused_ops::FusedConv op;
  std::vector<Value> inputs;
  Value y = 0;
  Nodes nodes = {};
};

/// The one node that reads the result so far, if its own result is of the same type.
std::optional<std::size_t> next_node(const PatternGraph& graph, const Found& found) {
  const auto user = graph.only_user(found.y);
  if (!user) return std::nullopt;
  const auto& outputs = graph.graph().nodes()[*user].outputs;
  return outputs.size() == 1 && graph.type(outputs[0]) == graph.type(found.y) ? user : std::nullopt;
}

void take(const PatternGraph& graph, std::size_t node, Found& found) {
  found.nodes.insert(node);
  found.y = graph.graph().nodes()[node].outputs[0];
}

std::optional<Found> with_residual(const PatternGraph& graph, Found found) {
  const auto user = next_node(graph, found);
  if (!user || !graph.is(graph.graph().nodes()[*user].outputs[0], BinaryFunction::add)) return std::nullopt;
  const auto& operands = graph.graph().nodes()[*user].inputs;
  const Value other = operands[operands[0] == found.y ? 1 : 0];
  if (graph.type(other) != graph.type(found.y)) return std::nullopt;
  found.op.has_residual = true;
  found.inputs.push_back(other);
  take(graph, *user, found);
  return found;
}

std::optional<Found> with_limits(const PatternGraph& graph, Found found) {
  const auto user = next_node(graph, found);
  if (!user) return std::nullopt;
  const ir::Node& node = graph.graph().nodes()[*user];
  const Value y = node.outputs[0];
  const auto* clamp = graph.op<Clamp>(y);
  if (graph.is(y, ir::ops::UnaryFunction::relu)) {
    found.op.low = 0;
  } else if (clamp != nullptr && node.inputs[0] == found.y) {
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      const auto limit = graph.scalar(node.inputs[i]);
      if (!limit || std::isnan(*limit)) return std::nullopt;
      (i == 1 && clamp->has_min ? found.op.low : found.op.high) = limit;
    }
  } else {
    return std::nullopt;
  }
  take(graph, *user, found);
  return found;
}

std::optional<Replacement> replacement(const PatternGraph& graph, const Found& found) {
  ir::TensorTypes types;
  for (const Value v : found.inputs) types.push_back(graph.type(v));
  const std::size_t last = graph.producer(found.y);
  if (!graph.is_closed(found.nodes, last) || !graph.serves(found.op, types)) return std::nullopt;
  return Replacement{found.nodes, last, [op = found.op, inputs = found.inputs](ir::Graph& next, const ir::Node& node) {
                       next.place(node.label, op, inputs, node.outputs);
                     }};
}

std::optional<Replacement> found_at(const PatternGraph& graph, std::size_t n) {
  const ir::Node& node = graph.graph().nodes()[n];
  const auto* conv = graph.op<Conv>(node.outputs[0]);
  if (conv == nullptr) return std::nullopt;
  Found plain{.op = {}, .inputs = node.inputs, .y = node.outputs[0], .nodes = {n}};
  static_cast<Conv&>(plain.op) = *conv;
  const auto added = with_residual(graph, plain);
  std::vector<std::optional<Found>> stages;  // from the most to the least
  if (added) stages.push_back(with_limits(graph, *added));
  stages.push_back(added);
  stages.push_back(with_limits(graph, plain));
  for (const auto& stage : stages)
    if (stage)
      if (auto made = replacement(graph, *stage)) return made;
  return std::nullopt;
}

}  // namespace

ir::Graph fuse_conv_epilogues(const ir::Graph& given, const PassSetting& setting) {
  return replaced(given, setting, found_at);
}

}  // namespace plumb::gpu_vulkan::passes

// Fuses the add in front of a layer norm into it: the sum is made as the norm reads.
#include "gpu_vulkan/fused_ops/added_norm.hpp"
#include "gpu_vulkan/passes/passes.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

using ir::Value;
using ir::ops::LayerNorm;

std::optional<Replacement> found_at(const PatternGraph& graph, std::size_t n) {
  const ir::Node& norm = graph.graph().nodes()[n];
  const auto* op = graph.op<LayerNorm>(norm.outputs[0]);
  if (op == nullptr) return std::nullopt;
  const Value sum = norm.inputs[0];
  if (!graph.is(sum, ir::ops::BinaryFunction::add) || graph.uses(sum) != 1) return std::nullopt;
  const Value x = graph.operand(sum, 0), residual = graph.operand(sum, 1);
  if (graph.type(x) != graph.type(sum) || graph.type(residual) != graph.type(sum)) return std::nullopt;
  std::vector<Value> inputs = norm.inputs;
  inputs[0] = x;
  inputs.push_back(residual);
  ir::TensorTypes types;
  for (const Value v : inputs) types.push_back(graph.type(v));
  fused_ops::AddedNorm added;
  static_cast<LayerNorm&>(added) = *op;
  const Nodes nodes = {n, graph.producer(sum)};
  if (!graph.is_closed(nodes, n) || !graph.serves(added, types)) return std::nullopt;
  return Replacement{nodes, n, [added, inputs](ir::Graph& next, const ir::Node& node) {
                       next.place(node.label, added, inputs, node.outputs);
                     }};
}

}  // namespace

ir::Graph fuse_residuals(const ir::Graph& given, const PassSetting& setting) {
  return replaced(given, setting, found_at);
}

}  // namespace plumb::gpu_vulkan::passes

// Replaces f32 by f16 or bf16 in a graph and its feeds; constants stay as they are, with a cast behind them.
#include "ir/passes/convert_dtype.hpp"

#include "ir/ops/cast.hpp"

namespace plumb::ir::passes {
namespace {

Op converted(const Op& op, DType to) {
  Attributes attributes = op.attributes();
  for (const FieldInfo& field : op.schema().fields()) {
    if (field.kind != "dtype" && field.kind != "dtype?") continue;
    const auto found = attributes.find(field.name);
    if (found != attributes.end() && std::get<std::string>(found->second) == info(DType::f32).name)
      found->second = std::string(info(to).name);
  }
  return op.schema().read(attributes);
}

void require_narrow(DType to) {
  require(to == DType::f16 || to == DType::bf16, "f32 can be converted to f16 or bf16, not to ", to);
}

}  // namespace

Graph as_dtype(const Graph& graph, DType to) {
  require_narrow(to);
  Graph next = graph.sources([to](const TensorType& type) {
    return type.dtype == DType::f32 ? TensorType{to, type.shape} : type;
  });
  for (const Node& node : graph.nodes()) {
    const bool is_f32_constant = node.op.schema().makes_values && graph.type(node.outputs[0]).dtype == DType::f32;
    if (is_f32_constant) {
      const Value made = next.add(free_name(graph, node.label + ".f32"), node.op, node.inputs);
      next.place(node.label, ops::Cast{to}, {made}, node.outputs);
    } else {
      const Op op = node.op.schema().makes_values ? node.op : converted(node.op, to);
      next.place(node.label, op, node.inputs, node.outputs);
    }
  }
  for (const Value value : graph.results()) next.returns(value);
  return next;
}

Feeds as_dtype(const Feeds& feeds, DType to) {
  require_narrow(to);
  Feeds next;
  for (const auto& [name, tensor] : feeds)
    next.emplace(name, tensor.dtype() == DType::f32 ? convert(tensor, to) : tensor);
  return next;
}

}  // namespace plumb::ir::passes

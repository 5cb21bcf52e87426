// The work and the bytes of one node, by the types that it has in its graph.
#include "ir/cost.hpp"

namespace plumb::ir {

Cost cost_of(const Graph& graph, const Node& node) {
  TensorTypes in, out;
  for (const Value v : node.inputs) in.push_back(graph.type(v));
  for (const Value v : node.outputs) out.push_back(graph.type(v));
  return node.op.schema().cost(node.op, in, out);
}

std::uint64_t bytes_of(const Graph& graph, const Node& node) {
  std::uint64_t bytes = 0;
  for (const auto* values : {&node.inputs, &node.outputs})
    for (const Value v : *values) bytes += graph.type(v).bytes();
  return bytes;
}

}  // namespace plumb::ir

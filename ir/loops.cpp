// Answers questions about the loops that ops declare.
#include "ir/loops.hpp"

#include <algorithm>

#include "ir/graph.hpp"

namespace plumb::ir {

OperandUse Loops::operand(std::size_t i) const {
  if (i < operands.size()) return operands[i];
  const bool reduces = std::ranges::any_of(loops, [](const Loop& loop) { return loop.reduction != Reduction::none; });
  return {.role = i > 0 && reduces ? Role::parameter : Role::data};
}

Loops loops_of(const Op& op, Types in, Types out) { return op.schema().loops(op, in, out); }

Loops loops_of(const Graph& graph, const Node& node) {
  TensorTypes in, out;
  for (const Value v : node.inputs) in.push_back(graph.type(v));
  for (const Value v : node.outputs) out.push_back(graph.type(v));
  return loops_of(node.op, in, out);
}

bool is_product(const Loops& loops) {
  return std::ranges::any_of(loops.loops, [&](const Loop& loop) {
    if (loop.reduction != Reduction::sum) return false;
    for (std::size_t i = 0; i < loop.in.size(); ++i) {
      const Role role = loops.operand(i).role;
      if (loop.in[i] && (role == Role::factor || role == Role::key)) return true;
    }
    return false;
  });
}

bool is_product_of_two(const Loops& loops) {
  if (!is_product(loops)) return false;
  for (std::size_t i = 0; i < loops.operands.size(); ++i) {
    const OperandUse use = loops.operands[i];
    if (i < 2 ? use.degree != Degree::linear : use.role != Role::addend) return false;
  }
  return loops.operands.size() >= 2;
}

}  // namespace plumb::ir

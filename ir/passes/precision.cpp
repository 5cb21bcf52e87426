#include "ir/passes/precision.hpp"

#include <algorithm>

#include "ir/ops/cast.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::ir::passes {
namespace {

/// The op with sums in f16, if it is one of these.
template <class... Ops>
Op summed_in_f16(const Op& op) {
  Op narrow = op;
  const auto take = [&]<class T>(const T&) {
    if (!op.is<T>()) return;
    auto changed = op.as<T>();
    changed.accumulator = DType::f16;
    narrow = changed;
  };
  (take(Ops{}), ...);
  return narrow;
}

bool is_product(const Op& op) {
  return op.is<ops::Matmul>() || op.is<ops::Gemm>() || op.is<ops::Conv>() || op.is<ops::DotGeneral>() ||
         op.is<ops::Einsum>();
}

/// Places nodes of a plan in the graph that is being made.
class Narrowing {
 public:
  Narrowing(const Graph& graph, Graph& next) : graph_(graph), next_(next) {}

  void place(const Node& node, Precision precision) {
    std::vector<Value> operands;
    for (const Value v : node.inputs) operands.push_back(in_f16(v));
    if (node.op.is<ops::Matmul>()) {
      auto op = node.op.as<ops::Matmul>();
      op.output_dtype = DType::f32;
      if (precision == Precision::f16acc16) op.accumulator = DType::f16;
      next_.place(node.label, op, operands, node.outputs);
      return;
    }
    const bool sums_in_f16 = precision == Precision::f16acc16;
    const Op op = sums_in_f16 ? summed_in_f16<ops::Gemm, ops::Conv, ops::DotGeneral, ops::Einsum>(node.op) : node.op;
    const Value narrow = next_.add(name(node.outputs[0]), op, operands);
    next_.place(node.label, ops::Cast{DType::f32}, {narrow}, node.outputs);
    in_f16_.emplace(node.outputs[0], narrow);
  }

 private:
  Value in_f16(Value v) {
    const auto found = in_f16_.find(v);
    if (found != in_f16_.end()) return found->second;
    return in_f16_.emplace(v, next_.add(name(v), ops::Cast{DType::f16}, {v})).first->second;
  }

  std::string name(Value v) const { return free_name(graph_, graph_.name(v) + ".f16"); }

  const Graph& graph_;
  Graph& next_;
  std::map<Value, Value> in_f16_;
};

}  // namespace

std::string why_not(const Graph& graph, const Node& node, Precision precision) {
  if (precision == Precision::f32) return "";
  if (!is_product(node.op)) return cat(node.op.name(), " is no matmul, gemm, dot_general, einsum or conv");
  for (const Value v : node.inputs)
    if (graph.type(v).dtype != DType::f32) return cat("'", graph.name(v), "' is ", graph.type(v).dtype, ", not f32");
  return "";
}

PrecisionPlan all_at(const Graph& graph, Precision precision) {
  PrecisionPlan plan;
  if (precision == Precision::f32) return plan;
  for (const Node& node : graph.nodes())
    if (why_not(graph, node, precision).empty()) plan.emplace(node.label, precision);
  return plan;
}

Graph at_precision(const Graph& graph, const PrecisionPlan& plan) {
  Graph next = graph.sources();
  Narrowing narrowing(graph, next);
  std::size_t found = 0;
  for (const Node& node : graph.nodes()) {
    const auto chosen = plan.find(node.label);
    found += chosen != plan.end();
    if (chosen == plan.end() || chosen->second == Precision::f32) {
      next.place(node.label, node.op, node.inputs, node.outputs);
      continue;
    }
    const std::string why = why_not(graph, node, chosen->second);
    require(why.empty(), "node '", node.label, "' cannot run in ", enum_name(chosen->second), ": ", why);
    narrowing.place(node, chosen->second);
  }
  for (const Value value : graph.results()) next.returns(value);
  if (found < plan.size())
    for (const auto& planned : plan)
      require(std::ranges::any_of(graph.nodes(), [&](const Node& node) { return node.label == planned.first; }),
              "the precision plan names '", planned.first, "', which is no node of the graph");
  return next;
}

}  // namespace plumb::ir::passes

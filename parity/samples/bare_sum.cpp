#include "parity/samples/bare_sum.hpp"

#include <algorithm>

#include "ir/passes/widen.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::samples {

std::optional<BareSum> find_bare_sum(const elements::Subject& subject, std::size_t k) {
  const ir::Graph& graph = subject.segment.graph;
  if (graph.nodes().size() != 1 || k != 0) return std::nullopt;
  const ir::Node& node = graph.nodes().front();
  const ir::TensorType& type = graph.type(node.outputs[0]);
  const auto is_real = [&](ir::Value v) { return ir::is_float(graph.type(v).dtype); };
  if (!std::ranges::all_of(node.inputs, is_real) || !ir::is_float(type.dtype)) return std::nullopt;
  ir::Graph wide = ir::passes::widen(graph);
  const ir::Op op = wide.nodes().front().op;
  BareSum sum;
  ir::TensorTypes in;
  for (const ir::Value v : node.inputs) {
    sum.operands.push_back(ir::passes::widen(subject.inputs[v]));
    in.push_back(graph.type(v));
  }
  std::vector<terms::Operand> operands;
  for (const ir::Tensor& x : sum.operands) operands.push_back({x.as<double>(), x.shape()});
  auto walker = terms::find_walker(op, operands, type.shape);
  if (!walker) return std::nullopt;
  sum.walker = std::move(*walker);
  bounds::ExpressionBuilder builder(wide);
  const bounds::Node asked{builder, op, {}, {}, 0, in, {type}, subject.manner.arithmetic};
  sum.arithmetic = bounds::sum_arithmetic(asked, bounds::has_exact_products(asked));
  sum.lambda = asked.lambda();
  return sum;
}

double value_of(const terms::ElementSum& sum) {
  double total = 0;
  for (const terms::Product& term : sum.terms) total += term.value();
  total = total * sum.scale / sum.divisor;
  for (const terms::Product& term : sum.added) total += term.value();
  return total;
}

}  // namespace plumb::parity::samples

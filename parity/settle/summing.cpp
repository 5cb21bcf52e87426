// Finds the node of a segment whose sums can be walked term by term, and what is known of its arithmetic.
#include "parity/settle/summing.hpp"

#include <algorithm>

#include "ir/ops/batch_norm.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/fma.hpp"
#include "ir/ops/prelu.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::settle {
namespace {

/// Whether the op makes logarithms of sums.
bool is_logarithm(const ir::Op& op) {
  return op.is<ir::ops::Reduce>() && op.as<ir::ops::Reduce>().function == ir::ops::ReduceFunction::log_sum;
}

/// The sum that it makes these of, or the op itself.
ir::Op without_logarithm(const ir::Op& op) {
  if (!is_logarithm(op)) return op;
  const auto& reduce = op.as<ir::ops::Reduce>();
  return ir::ops::Reduce{ir::ops::ReduceFunction::sum, reduce.axes, reduce.keep_dims};
}

/// On operands that the walker reads where they are.
std::optional<Summing> sums_on(const ir::Graph& graph, const ir::Node& node,
                               std::span<const element::terms::Operand> operands, const bounds::Manner& manner) {
  const ir::TensorType& type = graph.type(node.outputs[0]);
  ir::TensorTypes in;
  for (const ir::Value v : node.inputs) in.push_back(graph.type(v));
  ir::Graph wide = ir::passes::widen(graph);
  const ir::Op op = without_logarithm(wide.nodes()[*wide.producer(node.outputs[0])].op);
  auto walker = element::terms::find_walker(op, operands, type.shape);
  if (!walker) return std::nullopt;
  bounds::ExpressionBuilder builder(wide);
  const bounds::Node asked{builder, op, {}, {}, 0, in, {type}, manner.arithmetic, manner.flushes_subnormals};
  return Summing{node.outputs[0],
                 type.shape,
                 {},
                 std::move(*walker),
                 bounds::sum_arithmetic(asked, bounds::has_exact_products(asked)),
                 asked.lambda(),
                 bounds::dot_factors(asked, 1, true).stored,
                 is_logarithm(node.op)};
}

/// Whether an element of the op's result depends on one element of each operand, at the same place.
bool keeps_places(const ir::Op& op) {
  return op.is<ir::ops::Unary>() || op.is<ir::ops::Binary>() || op.is<ir::ops::Clamp>() || op.is<ir::ops::Cast>() ||
         op.is<ir::ops::BatchNorm>() || op.is<ir::ops::Prelu>() || op.is<ir::ops::Where>() || op.is<ir::ops::Fma>();
}

element::terms::Operand operand_of(const ir::Tensor& wide) { return {wide.as<double>(), wide.shape()}; }

/// On operands that it keeps.
std::optional<Summing> sums_with(const ir::Graph& graph, const ir::Node& node, std::vector<ir::Tensor> operands,
                                 const bounds::Manner& manner) {
  std::vector<element::terms::Operand> numbers;
  for (ir::Tensor& x : operands) {
    if (x.dtype() != ir::DType::f64) x = ir::convert(x, ir::DType::f64);  // indices are numbers, too
    numbers.push_back(operand_of(x));
  }
  auto found = sums_on(graph, node, numbers, manner);
  if (found) found->wide = std::move(operands);
  return found;
}

}  // namespace

std::optional<Summing> sums_of(const ir::Graph& graph, const ir::Node& node, std::vector<ir::Tensor> operands,
                               const bounds::Manner& manner) {
  return is_logarithm(node.op) ? std::nullopt : sums_with(graph, node, std::move(operands), manner);
}

std::optional<Summing> summing_node(const Subject& subject, const ir::Feeds& fed) {
  const ir::Graph& graph = subject.segment.graph;
  const auto is_fed = [&](ir::Value v) { return graph.is_source(v) && !ir::is_complex(graph.type(v).dtype); };
  for (const ir::Node& node : graph.nodes()) {
    if (!std::ranges::all_of(node.inputs, is_fed) || !ir::is_float(graph.type(node.outputs[0]).dtype)) continue;
    std::vector<ir::Tensor> operands;
    for (const ir::Value v : node.inputs) operands.push_back(fed.at(graph.inputs()[v]));
    if (auto found = sums_with(graph, node, std::move(operands), subject.manner)) return found;
  }
  return std::nullopt;
}

const ir::Node* node_at_place(const Subject& subject, std::size_t k) {
  const ir::Graph& graph = subject.segment.graph;
  const ir::Shape& shape = graph.type(subject.segment.outputs.at(k)).shape;
  const ir::Node* found = nullptr;
  for (const ir::Node& node : graph.nodes()) {
    if (graph.type(node.outputs[0]).shape != shape) return nullptr;
    if (keeps_places(node.op)) continue;
    if (found != nullptr) return nullptr;
    found = &node;
  }
  return found;
}

namespace {

std::shared_ptr<const Summing> made_bare_sum(const Subject& subject) {
  const ir::Graph& graph = subject.segment.graph;
  const ir::Node& node = graph.nodes().front();
  const auto is_real = [&](ir::Value v) { return ir::is_float(graph.type(v).dtype); };
  if (!std::ranges::all_of(node.inputs, is_real) || !is_real(node.outputs[0]) || is_logarithm(node.op)) return nullptr;
  const auto made = [&] {
    if (subject.widened == nullptr) {
      std::vector<ir::Tensor> operands;
      for (const ir::Value v : node.inputs) operands.push_back(ir::passes::widen(subject.inputs[v]));
      return sums_of(graph, node, std::move(operands), subject.manner);
    }
    std::vector<element::terms::Operand> operands;
    for (const ir::Value v : node.inputs) operands.push_back(operand_of(subject.widened->at(graph.inputs()[v])));
    return sums_on(graph, node, operands, subject.manner);
  };
  auto found = made();
  return found ? std::make_shared<const Summing>(std::move(*found)) : nullptr;
}

}  // namespace

std::shared_ptr<const Summing> find_bare_sum(const Subject& subject, std::size_t k) {
  if (subject.segment.graph.nodes().size() != 1 || k != 0) return nullptr;
  BareSum& known = *subject.bare_sum;
  if (!known.was_asked) known = {true, made_bare_sum(subject)};
  return known.found;
}

}  // namespace plumb::parity::settle

// Faults of epilogues: an operation behind a kernel's sum done twice, elsewhere or in another order.

#include <algorithm>

#include "ir/ops/binary.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/unary.hpp"
#include "parity/power/faults/fault.hpp"

namespace plumb::parity::power::faults {
namespace {

/// The operand of a segment that its only node, or one of several, adds as a bias: an operand of that name, or what a
/// binary addition adds to something larger. It is an input of the segment that nothing else reads.
struct Bias {
  std::size_t node = 0, operand = 0;
};

bool is_read_once(const ir::Graph& graph, ir::Value value) {
  std::ptrdiff_t readers = 0;
  for (const ir::Node& node : graph.nodes()) readers += std::ranges::count(node.inputs, value);
  return readers == 1;
}

std::optional<ir::Value> bias_of(const ir::Graph& graph, const ir::Node& node) {
  const auto names = node.op.schema().operands(node.op, node.inputs.size());
  for (std::size_t k = 0; k < node.inputs.size(); ++k)
    if (names[k] == "bias" || names[k] == "c") return node.inputs[k];
  if (!node.op.is<ir::ops::Binary>() || node.op.as<ir::ops::Binary>().function != ir::ops::BinaryFunction::add)
    return {};
  const auto size = [&](std::size_t k) { return graph.type(node.inputs[k]).shape.elements(); };
  if (size(0) == size(1)) return {};
  return node.inputs[size(0) < size(1) ? 0 : 1];
}

std::optional<Bias> find_bias(const Site& site) {
  const ir::Graph& graph = site.segment.graph;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const auto value = bias_of(graph, graph.nodes()[n]);
    if (value && graph.is_source(*value) && ir::is_float(graph.type(*value).dtype) && is_read_once(graph, *value))
      return Bias{n, *value};
  }
  return {};
}

template <class Change>
std::optional<Numbers> with_operand(const Site& site, std::size_t operand, Change change) {
  auto inputs = site.inputs();
  Numbers numbers = numbers_of(inputs[operand]);
  change(numbers);
  inputs[operand] = tensor_of(inputs[operand].type(), numbers);
  return site.on(inputs);
}

std::optional<Numbers> bias_twice(const Site& site) {
  const auto bias = find_bias(site);
  if (!bias) return {};
  return with_operand(site, bias->operand, [](Numbers& numbers) {
    for (double& x : numbers) x *= 2;
  });
}

std::optional<Numbers> bias_of_next_column(const Site& site) {
  const auto bias = find_bias(site);
  if (!bias || site.operands[bias->operand].now.elements() < 2) return {};
  return with_operand(site, bias->operand,
                      [](Numbers& numbers) { std::rotate(numbers.begin(), numbers.begin() + 1, numbers.end()); });
}

/// The function that follows a bias comes before it: f(x) + b, where f(x) is the segment on a bias of 0.
std::optional<Numbers> activation_before_bias(const Site& site) {
  const auto bias = find_bias(site);
  const ir::Graph& graph = site.segment.graph;
  if (!bias || bias->node + 2 != graph.nodes().size()) return {};
  const ir::Node &adding = graph.nodes()[bias->node], &last = graph.nodes().back();
  if (!last.op.is<ir::ops::Unary>() || last.inputs.front() != adding.outputs.front()) return {};
  auto inputs = site.inputs();
  const ir::Tensor& given = inputs[bias->operand];
  const ir::Shape& shape = given.shape();
  const bool is_by_channel = adding.op.is<ir::ops::Conv>();
  const std::size_t n = site.elements(), width = static_cast<std::size_t>(given.elements());
  if (width == 0 ||
      (!is_by_channel && (shape.empty() || shape.back() != site.type.shape.back() || width != site.columns())))
    return {};
  const Numbers numbers = numbers_of(given);
  inputs[bias->operand] = ir::Tensor(given.type());
  Numbers faulty = site.truth_of(inputs);
  std::size_t inner = 1;
  if (is_by_channel)
    for (std::size_t axis = 2; axis < site.type.shape.size(); ++axis)
      inner *= static_cast<std::size_t>(site.type.shape[axis]);
  for (std::size_t i = 0; i < n; ++i) faulty[i] += numbers[i / inner % width];
  return site.carried(std::move(faulty));
}

/// A residual that a fused kernel adds behind its sum.
std::optional<Numbers> residual_twice(const Site& site) {
  const ir::Graph& graph = site.segment.graph;
  if (graph.nodes().size() < 2) return {};
  for (const ir::Node& node : graph.nodes()) {
    if (!node.op.is<ir::ops::Binary>() || node.op.as<ir::ops::Binary>().function != ir::ops::BinaryFunction::add)
      continue;
    if (graph.type(node.inputs[0]) != graph.type(node.inputs[1])) continue;
    for (const ir::Value v : node.inputs)
      if (graph.is_source(v) && is_read_once(graph, v))
        return with_operand(site, v, [](Numbers& numbers) {
          for (double& x : numbers) x *= 2;
        });
  }
  return {};
}

std::optional<Numbers> alpha_on_c(const Site& site) {
  const auto* const gemm = site.as<ir::ops::Gemm>();
  const auto c = site.operand("c");
  if (gemm == nullptr || !c || gemm->alpha == 1) return {};
  return with_operand(site, *c, [&](Numbers& numbers) {
    for (double& x : numbers) x *= gemm->alpha;
  });
}

constexpr auto biased = "any with a bias; an addition of a smaller operand";

constexpr Fault of_epilogues[] = {
    {"bias_twice", "the bias is added twice", biased, true, bias_twice},
    {"bias_of_next_column", "the bias is that of the next column", biased, true, bias_of_next_column},
    {"activation_before_bias", "the bias is added behind the function", "fused: a bias, then a function", true,
     activation_before_bias},
    {"residual_twice", "the residual is added twice", "fused: a residual that nothing else reads", true,
     residual_twice},
    {"alpha_on_c", "alpha multiplies c as well", "gemm with alpha and c", true, alpha_on_c},
};

}  // namespace

std::span<const Fault> faults_of_epilogues() { return of_epilogues; }

}  // namespace plumb::parity::power::faults

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gpu_vulkan/passes/passes.hpp"
#include "gpu_vulkan/passes/pattern.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

using ir::Value;
using ir::ops::BinaryFunction;
using ir::ops::UnaryFunction;

/// The u of v = 1 + f(u); f's node and v's are added.
std::optional<Value> one_plus(const PatternGraph& graph, Value v, UnaryFunction f, Nodes& nodes) {
  if (!graph.is(v, BinaryFunction::add)) return std::nullopt;
  for (const std::size_t i : {0, 1}) {
    const Value of = graph.operand(v, i);
    if (!graph.is(of, f) || !graph.is_number(graph.operand(v, 1 - i), 1)) continue;
    nodes.insert({graph.producer(v), graph.producer(of)});
    return graph.operand(of, 0);
  }
  return std::nullopt;
}

bool is_x_cubed(const PatternGraph& graph, const std::vector<Value>& factors, Value x, Nodes& nodes) {
  std::size_t degree = 0;
  for (const Value v : factors) {
    if (v == x) {
      degree += 1;
      continue;
    }
    const bool is_square = graph.is(v, UnaryFunction::square);
    if (!is_square && !graph.is(v, BinaryFunction::power)) return false;
    if (graph.operand(v, 0) != x) return false;
    const bool is_cube = !is_square && graph.is_number(graph.operand(v, 1), 3);
    if (!is_square && !is_cube && !graph.is_number(graph.operand(v, 1), 2)) return false;
    degree += is_cube ? 3 : 2;
    nodes.insert(graph.producer(v));
  }
  return degree == 3;
}

/// Whether u = √½ x.
bool is_erf_argument(const PatternGraph& graph, Value u, Value x, Nodes& nodes) {
  const Factors factors = factors_of(graph, u);
  nodes.insert(factors.nodes.begin(), factors.nodes.end());
  return factors.values == std::vector{x} && is_near(factors.number, std::numbers::sqrt2 / 2, graph.type(x).dtype);
}

/// Whether t = √(2/π) (x + 0.044715 x³).
bool is_tanh_argument(const PatternGraph& graph, Value t, Value x, Nodes& nodes) {
  const Factors outer = factors_of(graph, t);
  const ir::DType dtype = graph.type(x).dtype;
  if (outer.values.size() != 1 || !is_near(outer.number, std::sqrt(2 / std::numbers::pi), dtype)) return false;
  const Value sum = outer.values[0];
  if (!graph.is(sum, BinaryFunction::add)) return false;
  nodes.insert(outer.nodes.begin(), outer.nodes.end());
  nodes.insert(graph.producer(sum));
  for (const std::size_t i : {0, 1}) {
    if (graph.operand(sum, i) != x) continue;
    const Factors cube = factors_of(graph, graph.operand(sum, 1 - i));
    nodes.insert(cube.nodes.begin(), cube.nodes.end());
    return is_near(cube.number, 0.044715, dtype) && is_x_cubed(graph, cube.values, x, nodes);
  }
  return false;
}

/// y = ½ x (1 + f(..)), its factors in any order. The half has to be just that: the kernel is held to what the
/// primitives may be off, 3 u |y| near 0, of which another number would take its share.
std::optional<Replacement> found_at(const PatternGraph& graph, Value y) {
  const Factors factors = factors_of(graph, y);
  if (factors.values.size() != 2 || factors.number != 0.5) return std::nullopt;
  for (const auto f : {UnaryFunction::erf, UnaryFunction::tanh})
    for (const std::size_t i : {0, 1}) {
      const Value x = factors.values[i];
      Nodes nodes = factors.nodes;
      const auto argument = one_plus(graph, factors.values[1 - i], f, nodes);
      if (!argument) continue;
      const bool is_erf = f == UnaryFunction::erf;
      if (!(is_erf ? is_erf_argument : is_tanh_argument)(graph, *argument, x, nodes)) continue;
      const ir::ops::Unary op{is_erf ? UnaryFunction::gelu : UnaryFunction::gelu_tanh};
      const std::size_t last = graph.producer(y);
      const bool same = graph.type(x) == graph.type(y);  // a number of rank 1 or more could have made it larger
      if (!same || !graph.is_closed(nodes, last) || !graph.serves(op, {graph.type(x)})) continue;
      return Replacement{nodes, last, [op, x](ir::Graph& next, const ir::Node& node) {
                           next.place(node.label, op, {x}, node.outputs);
                         }};
    }
  return std::nullopt;
}

}  // namespace

ir::Graph fuse_gelus(const ir::Graph& given, const PassSetting& setting) {
  return replaced(given, setting, [&](const PatternGraph& graph, std::size_t n) -> std::optional<Replacement> {
    const Value y = given.nodes()[n].outputs[0];
    if (!graph.is(y, BinaryFunction::multiply) && !graph.is(y, BinaryFunction::divide)) return std::nullopt;
    return found_at(graph, y);
  });
}

}  // namespace plumb::gpu_vulkan::passes

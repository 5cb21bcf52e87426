// Searches for patterns in passes: users of values, known numbers, factors of a product, closed sets of nodes.
#include "gpu_vulkan/passes/pattern.hpp"

#include <algorithm>
#include <cmath>

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"

namespace plumb::gpu_vulkan::passes {

using ir::ops::Binary;
using ir::ops::BinaryFunction;
using ir::ops::Unary;

PatternGraph::PatternGraph(const ir::Graph& graph, const PassSetting& setting)
    : graph_(graph), setting_(setting), users_(graph.value_count()), wanted_(graph.value_count()) {
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    for (const ir::Value v : graph.nodes()[n].inputs) users_[v].push_back(n);
  for (const auto* values : {&setting.wanted, &graph.results()})
    for (const ir::Value v : *values) wanted_.at(v) = true;
}

bool PatternGraph::is(ir::Value v, ir::ops::UnaryFunction function) const {
  const auto* unary = op<Unary>(v);
  return unary != nullptr && unary->function == function;
}

bool PatternGraph::is(ir::Value v, BinaryFunction function) const {
  const auto* binary = op<Binary>(v);
  return binary != nullptr && binary->function == function;
}

std::optional<std::size_t> PatternGraph::only_user(ir::Value v) const {
  if (users_.at(v).size() != 1) return std::nullopt;
  return users_[v][0];
}

std::optional<ir::Tensor> PatternGraph::known(ir::Value v) const {
  if (const auto* constant = op<ir::ops::Constant>(v))
    return ir::convert(ir::TensorView(graph_.type(v), constant->data), ir::DType::f64);
  if (op<ir::ops::Cast>(v) != nullptr) {  // as as_dtype puts one behind every constant
    const auto from = known(operand(v, 0));
    return from ? std::optional(ir::convert(ir::convert(*from, graph_.type(v).dtype), ir::DType::f64)) : std::nullopt;
  }
  if (!graph_.is_source(v) || v < graph_.inputs().size()) return std::nullopt;
  const auto found = setting_.params.find(graph_.name(v));
  if (found == setting_.params.end() || found->second.type() != graph_.type(v)) return std::nullopt;
  return ir::convert(found->second, ir::DType::f64);
}

std::optional<double> PatternGraph::scalar(ir::Value v) const {
  const ir::TensorType& type = graph_.type(v);
  if (!ir::is_float(type.dtype) || type.shape.elements() != 1) return std::nullopt;
  const auto tensor = known(v);
  return tensor ? std::optional(tensor->as<double>()[0]) : std::nullopt;
}

bool PatternGraph::is_number(ir::Value v, double number) const {
  const auto found = scalar(v);
  return found && is_near(*found, number, graph_.type(v).dtype);
}

bool PatternGraph::is_inner(std::size_t n, const Nodes& nodes) const {
  return std::ranges::all_of(graph_.nodes()[n].outputs, [&](ir::Value v) {
    return !wanted_[v] && std::ranges::all_of(users_[v], [&](std::size_t user) { return nodes.contains(user); });
  });
}

bool PatternGraph::is_closed(const Nodes& nodes, std::size_t last) const {
  return std::ranges::all_of(nodes, [&](std::size_t n) { return n == last || is_inner(n, nodes); });
}

bool PatternGraph::serves(const ir::Op& op, const ir::TensorTypes& types) const try {
  ir::Graph alone;
  std::vector<ir::Value> inputs;
  for (const ir::TensorType& type : types) inputs.push_back(alone.input(ir::cat(inputs.size()), type));
  alone.add_all("y", op, inputs);
  plan::Schedule schedule;
  std::vector<plan::Slot> slots;
  for (ir::Value v = 0; v < alone.value_count(); ++v) slots.push_back(schedule.slot(alone.type(v).bytes()));
  const plan::PlanOptions usual;
  plan::Lowering lowering(alone, alone.nodes()[0], setting_.facts, usual, slots, schedule.slot(sizeof(plan::Fault)),
                          schedule);
  plan::lower_op(op, lowering);
  // With room for red zones. What is larger may fall back to the host, which has only the ops of graphs.
  const std::uint64_t largest = std::min(setting_.facts.max_buffer_range, setting_.facts.max_allocation);
  const auto fits = [&](ir::Value v) { return alone.type(v).bytes() + (1u << 16) <= largest; };
  for (ir::Value v = 0; v < alone.value_count(); ++v)
    if (!fits(v)) return false;
  return std::ranges::all_of(schedule.dispatches, [&](const plan::Dispatch& d) {
    return d.reads.size() + d.writes.size() <= setting_.facts.max_push_descriptors;
  });
} catch (const ir::Error&) {  // the op does not take these types, or the device not the op
  return false;
}

bool is_near(double a, double b, ir::DType dtype) {
  const bool is_double = dtype == ir::DType::f64;
  return std::abs(a - b) <= 4 * ir::unit_roundoff(is_double ? ir::DType::f64 : ir::DType::f32) * std::abs(b);
}

namespace {

void take_apart(const PatternGraph& graph, ir::Value v, bool is_root, Factors& factors) {
  const bool is_product = graph.is(v, BinaryFunction::multiply);
  const auto divisor = graph.is(v, BinaryFunction::divide) ? graph.scalar(graph.operand(v, 1)) : std::nullopt;
  const auto number = graph.scalar(v);
  if ((!is_product && !divisor) || (!is_root && graph.uses(v) != 1)) {
    if (number)
      factors.number *= *number;
    else
      factors.values.push_back(v);
    return;
  }
  factors.nodes.insert(graph.producer(v));
  take_apart(graph, graph.operand(v, 0), false, factors);
  if (divisor)
    factors.number /= *divisor;
  else
    take_apart(graph, graph.operand(v, 1), false, factors);
}

}  // namespace

Factors factors_of(const PatternGraph& graph, ir::Value v) {
  Factors factors;
  take_apart(graph, v, true, factors);
  return factors;
}

std::string new_name(const ir::Graph& given, const ir::Graph& next, std::string name) {
  while (given.find(name) || next.find(name)) name += '\'';
  return name;
}

void return_results(const ir::Graph& given, ir::Graph& next) {
  for (const ir::Value v : given.results()) {
    if (next.defined(v)) {
      next.returns(v);
      continue;
    }
    const ir::Node& node = given.nodes()[given.producer(v).value()];
    ir::fail("node '", node.label, "' (", node.op.name(), "): a pass leaves it out, though it computes a result");
  }
}

ir::Graph replaced(const ir::Graph& graph, const PassSetting& setting, const Match& match) {
  const PatternGraph pattern(graph, setting);
  std::vector<Replacement> replacements;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    if (auto found = match(pattern, n)) replacements.push_back(std::move(*found));
  Nodes gone;
  std::map<std::size_t, const Replacement*> by_last;
  for (const Replacement& r : replacements) {
    if (std::ranges::any_of(r.nodes, [&](std::size_t n) { return gone.contains(n); })) continue;
    gone.insert(r.nodes.begin(), r.nodes.end());
    by_last.emplace(r.last, &r);
  }
  ir::Graph next = graph.sources();
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const ir::Node& node = graph.nodes()[n];
    if (const auto found = by_last.find(n); found != by_last.end())
      found->second->place(next, node);
    else if (!gone.contains(n))
      next.place(node.label, node.op, node.inputs, node.outputs);
  }
  return_results(graph, next);
  return next;
}

}  // namespace plumb::gpu_vulkan::passes

// Grows a graph by ops that fit values which are there.
#include "parity/studies/fuzz/draft.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/op_list.hpp"
#include "parity/check/check.hpp"

namespace plumb::parity::studies::fuzz {
namespace {

constexpr unsigned tries_of_an_op = 6;

/// The fill that the first of its readers wants which wants one of its own.
std::optional<ir::Fill> wanted_fill(const ir::Graph& graph, ir::Value source) {
  for (const ir::Node& node : graph.nodes())
    for (std::size_t operand = 0; operand < node.inputs.size(); ++operand) {
      if (node.inputs[operand] != source) continue;
      check::Random random(1);  // fills do not depend on it
      const check::Sketch sketch = check::sketch_of(node.op, random);
      if (auto fill = check::fill_of(graph, source, sketch, operand)) return fill;
    }
  return std::nullopt;
}

}  // namespace

std::size_t Draft::add_value(const ir::TensorType& type, bool takes_any, bool is_made) {
  values_.push_back({.type = type, .takes_any = takes_any, .is_made = is_made});
  return values_.size() - 1;
}

/// A value of this type, in three of ten draws.
std::optional<std::size_t> Draft::like(const ir::TensorType& type, Chooser& choose) const {
  if (choose.below(10) >= 3) return std::nullopt;
  std::vector<std::size_t> found;
  for (std::size_t v = 0; v < values_.size(); ++v)
    if (values_[v].takes_any && values_[v].type == type) found.push_back(v);
  return found.empty() ? std::nullopt : std::optional(choose.element(found));
}

const ir::OpSchema& Draft::rare_op(Chooser& choose) const {
  const auto& all = ir::all_schemas();
  const auto count = [&](const ir::OpSchema* schema) {
    return std::ranges::count_if(nodes_, [&](const Node& node) { return &node.op.schema() == schema; });
  };
  const ir::OpSchema* const first = choose.element(all);
  const ir::OpSchema* const second = choose.element(all);
  return count(second) < count(first) ? *second : *first;
}

/// The values that a node reads: `value` as its operand `given`, others of their types, or new sources.
std::vector<std::size_t> Draft::operands(const DrawnOp& drawn, std::optional<std::size_t> given, std::size_t value,
                                         Chooser& choose) {
  std::vector<std::size_t> read;
  const std::size_t before = values_.size();
  for (std::size_t i = 0; i < drawn.in.size(); ++i) {
    const bool is_any = takes_any(drawn, i);
    std::optional<std::size_t> found;
    if (i == given)
      found = value;
    else if (is_any && before > 0)
      found = like(drawn.in[i], choose);
    read.push_back(found ? *found : add_value(drawn.in[i], is_any, false));
    if (!found && i > 0) values_.back().is_param = choose.once_in(3);
  }
  return read;
}

void Draft::add_behind(const DrawnOp& drawn, std::optional<std::size_t> given, std::size_t value, Chooser& choose) {
  Node node{.op = drawn.op, .in = operands(drawn, given, value, choose), .out = {}};
  for (const ir::TensorType& type : drawn.out) node.out.push_back(add_value(type, true, true));
  nodes_.push_back(std::move(node));
}

/// The node reads new sources alone: others might be made by nodes behind it.
void Draft::add_in_front(const DrawnOp& drawn, std::size_t value, Chooser& choose) {
  Node node{.op = drawn.op, .in = {}, .out = {value}};
  for (std::size_t i = 0; i < drawn.in.size(); ++i) {
    node.in.push_back(add_value(drawn.in[i], takes_any(drawn, i), false));
    values_.back().is_param = i > 0 && choose.once_in(3);
  }
  for (std::size_t i = 1; i < drawn.out.size(); ++i) node.out.push_back(add_value(drawn.out[i], true, true));
  values_[value].is_made = true;
  values_[value].is_param = false;
  nodes_.insert(nodes_.begin(), std::move(node));
}

void Draft::begin(const DrawnOp& drawn, Chooser& choose) { add_behind(drawn, std::nullopt, 0, choose); }

bool Draft::grow(Chooser& choose) {
  std::vector<std::size_t> able;
  for (std::size_t v = 0; v < values_.size(); ++v)
    if (values_[v].takes_any && values_[v].type.shape.elements() > 0) able.push_back(v);
  if (able.empty()) return false;
  const std::size_t value = choose.element(able);
  const ir::TensorType type = values_[value].type;
  const ir::OpSchema& schema = rare_op(choose);
  if (!values_[value].is_made && choose.once_in(2)) {
    const auto drawn = draw_op(
        schema, {.given = check::GivenOperand{0, type}, .result = type, .is_small = true, .tries = tries_of_an_op},
        choose);
    if (drawn) add_in_front(*drawn, value, choose);
    return drawn.has_value();
  }
  const std::size_t count = schema.inputs.size();
  if (count == 0) return false;
  const std::size_t operand = choose.below(3) < 2 ? 0 : choose.below(count);
  const auto drawn =
      draw_op(schema, {.given = check::GivenOperand{operand, type}, .is_small = true, .tries = tries_of_an_op}, choose);
  if (!drawn || !takes_any(*drawn, operand)) return false;
  add_behind(*drawn, operand, value, choose);
  return true;
}

ir::formats::GraphFile Draft::file() const {
  ir::formats::GraphFile file;
  std::vector<ir::Value> placed(values_.size());
  for (const bool is_param : {false, true})
    for (std::size_t v = 0; v < values_.size(); ++v) {
      if (values_[v].is_made || values_[v].is_param != is_param) continue;
      const std::string name = fmt::format("{}{}", is_param ? 'w' : 'x', v);
      placed[v] = is_param ? file.graph.param(name, values_[v].type) : file.graph.input(name, values_[v].type);
    }
  std::vector<bool> is_read(values_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    std::vector<ir::Value> in;
    for (const std::size_t v : nodes_[n].in) {
      in.push_back(placed[v]);
      is_read[v] = true;
    }
    file.graph.add_all(fmt::format("n{}", n), nodes_[n].op, in);
    const auto& out = file.graph.nodes().back().outputs;
    for (std::size_t k = 0; k < out.size(); ++k) placed[nodes_[n].out[k]] = out[k];
  }
  for (std::size_t v = 0; v < values_.size(); ++v)
    if (values_[v].is_made && !is_read[v]) file.graph.returns(placed[v]);
  for (ir::Value v = 0; file.graph.is_source(v); ++v)
    if (const auto fill = wanted_fill(file.graph, v))
      file.sources.insert_or_assign(file.graph.name(v), ir::formats::Generated{*fill});
  return file;
}

}  // namespace plumb::parity::studies::fuzz

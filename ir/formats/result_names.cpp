#include "ir/formats/result_names.hpp"

#include "ir/ops/reshape.hpp"

namespace plumb::ir::formats {
namespace {

/// The source that a result hands on unchanged, whose name its own begins with.
std::optional<Value> handed_on(const Graph& graph, Value result) {
  const auto producer = graph.producer(result);
  if (!producer) return std::nullopt;
  const Node& node = graph.nodes()[*producer];
  const bool copies = node.op.name() == ops::Reshape::name && graph.is_source(node.inputs[0]) &&
                      graph.type(node.inputs[0]) == graph.type(result);
  return copies && node.label.starts_with(graph.name(node.inputs[0]) + "'") ? std::optional(node.inputs[0])
                                                                            : std::nullopt;
}

}  // namespace

std::string result_name(const Graph& graph, std::size_t k) {
  const Value result = graph.results().at(k);
  return graph.name(handed_on(graph, result).value_or(result));
}

std::optional<Value> find_computed(const Graph& graph, std::string_view name) {
  const auto value = graph.find(name);
  if (!value || !graph.is_source(*value)) return value;
  for (const Value result : graph.results())
    if (handed_on(graph, result) == value) return result;
  return std::nullopt;
}

}  // namespace plumb::ir::formats

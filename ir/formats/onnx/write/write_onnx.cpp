// Writes graphs as ONNX models, node by node.
#include "ir/formats/onnx/write/write_onnx.hpp"

#include <optional>

#include "ir/executor.hpp"
#include "ir/formats/onnx/write/writers.hpp"
#include "ir/passes/inline_bodies.hpp"

namespace plumb::ir {
namespace to_onnx {
namespace {

std::map<const OpSchema*, const Writer*> all_writers() {
  std::map<const OpSchema*, const Writer*> by_schema;
  for (const auto family :
       {convolution_writers(), elementwise_writers(), indexing_writers(), integer_products_writers(),
        movement_writers(), normalization_writers(), products_writers(), reduction_writers(), sequence_writers()})
    for (const Writer& one : family) by_schema.emplace(&one.schema(), &one);
  return by_schema;
}

/// Writes a node; returns why there is none, "" where no more is to be said, or nothing where there is one.
std::optional<std::string> attempt(ModelWriter& model, const Node& node) {
  try {
    write_node(model, node);
    return std::nullopt;
  } catch (const NoOperator& none) {
    return none.what();
  }
}

/// "no ONNX operator for 'h' (fft)", and why.
std::string refusal(const std::string& of, const std::string& why) {
  return cat("no ONNX operator", of, why.empty() ? "" : ": ", why);
}

}  // namespace

void write_node(ModelWriter& model, const Node& node) {
  static const auto writers = all_writers();
  const auto found = writers.find(&node.op.schema());
  if (found == writers.end()) throw NoOperator("");
  NodeWriter one(model, node);
  found->second->write(node.op, one);
}

}  // namespace to_onnx

namespace formats {

std::string write_onnx(const Graph& graph, const Feeds& stored) {
  if (passes::has_bodies(graph)) return write_onnx(passes::inline_bodies(graph), stored);
  to_onnx::ModelWriter model(graph, stored, to_onnx::Params::stored);
  std::string refused;
  for (const Node& node : graph.nodes())
    if (const auto why = to_onnx::attempt(model, node))
      refused +=
          (refused.empty() ? "" : "\n") + to_onnx::refusal(cat(" for '", node.label, "' (", node.op.name(), ")"), *why);
  if (!refused.empty()) throw Unsupported(refused);
  model.finish();
  return model.bytes();
}

std::string why_no_onnx(const Graph& graph, const Node& node) {
  if (passes::has_body(node)) {
    TensorTypes in;
    for (const Value v : node.inputs) in.push_back(graph.type(v));
    const Graph body = passes::inline_bodies(graph_of(node.op, in));
    for (const Node& inner : body.nodes())
      if (std::string why = why_no_onnx(body, inner); !why.empty()) return why;
    return "";
  }
  const Feeds none;
  to_onnx::ModelWriter model(graph, none, to_onnx::Params::later);
  const auto why = to_onnx::attempt(model, node);
  return why ? to_onnx::refusal("", *why) : "";
}

}  // namespace formats
}  // namespace plumb::ir

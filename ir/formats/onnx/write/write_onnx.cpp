// Writes graphs as ONNX models, node by node.
#include "ir/formats/onnx/write/write_onnx.hpp"

#include "ir/formats/onnx/write/writers.hpp"

namespace plumb::ir {
namespace to_onnx {
namespace {

std::map<const OpSchema*, const Writer*> all_writers() {
  std::map<const OpSchema*, const Writer*> by_schema;
  for (const auto family : {convolution_writers(), elementwise_writers(), indexing_writers(), movement_writers(),
                            normalization_writers(), products_writers(), reduction_writers(), sequence_writers()})
    for (const Writer& one : family) by_schema.emplace(&one.schema(), &one);
  return by_schema;
}

/// Writes a node; returns why there is none, in words for the user, or "".
std::string attempt(ModelWriter& model, const Node& node) {
  try {
    write_node(model, node);
    return "";
  } catch (const NoOperator& none) {
    const std::string_view why = none.what();
    return cat("no ONNX operator for '", node.label, "' (", node.op.name(), ")", why.empty() ? "" : ": ", why);
  }
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
  to_onnx::ModelWriter model(graph, stored, to_onnx::Params::stored);
  std::string refused;
  for (const Node& node : graph.nodes())
    if (const std::string why = to_onnx::attempt(model, node); !why.empty())
      refused += (refused.empty() ? "" : "\n") + why;
  if (!refused.empty()) throw Unsupported(refused);
  model.finish();
  return model.bytes();
}

std::string why_no_onnx(const Graph& graph, const Node& node) {
  const Feeds none;
  to_onnx::ModelWriter model(graph, none, to_onnx::Params::later);
  return to_onnx::attempt(model, node);
}

}  // namespace formats
}  // namespace plumb::ir

#include "ir/passes/widen.hpp"

#include "ir/ops/bitcast.hpp"
#include "ir/ops/cast.hpp"
#include "ir/passes/convert_dtype.hpp"
#include "ir/passes/inline_bodies.hpp"

namespace plumb::ir::passes {
namespace {

/// W3: a real attribute of a node that computes in f32 is the nearest f32, on both sides.
void round_reals(Attributes& attributes) {
  for (auto& [name, attribute] : attributes) {
    const auto rounded = [](double x) { return static_cast<double>(static_cast<float>(x)); };
    if (auto* real = std::get_if<double>(&attribute)) *real = rounded(*real);
    if (auto* reals = std::get_if<std::vector<double>>(&attribute))
      std::ranges::transform(*reals, reals->begin(), rounded);
  }
}

Op widened(const Graph& graph, const Node& node, Reals reals) {
  if (const std::string why = why_no_truth(graph, node); !why.empty())
    throw Unsupported(cat("node '", node.label, "' (", node.op.name(), "): ", why));
  Attributes attributes = node.op.attributes();
  const bool narrow = std::ranges::any_of(node.inputs, [&](Value v) {
    const DType dtype = graph.type(v).dtype;
    return wider(dtype) != dtype;
  });
  if (narrow && reals == Reals::nearest_f32) round_reals(attributes);
  map_dtypes(node.op.schema(), attributes, wider);  // W2: they map as the values do
  return node.op.schema().read(attributes);
}

}  // namespace

std::string why_no_truth(const Graph& graph, const Node& node) {
  if (!node.op.is<ops::Bitcast>()) return "";
  for (const DType dtype : {graph.type(node.inputs[0]).dtype, graph.type(node.outputs[0]).dtype})
    if (is_float(dtype) || is_complex(dtype)) return cat(dtype, " has no wider truth with the same bits");
  return "";
}

DType wider(DType dtype) {
  if (is_float(dtype)) return DType::f64;
  if (is_complex(dtype)) return DType::c128;
  return dtype;
}

Graph widen(const Graph& graph, Reals reals) {
  if (has_bodies(graph)) return widen(inline_bodies(graph), reals);
  Graph wide = graph.sources([](const TensorType& type) { return TensorType{wider(type.dtype), type.shape}; });
  for (const Node& node : graph.nodes()) {
    if (!node.op.schema().makes_values) {
      wide.place(node.label, widened(graph, node, reals), node.inputs, node.outputs);
      continue;
    }
    // W4: both sides see the same numbers, so the op stays and an exact cast follows.
    const Value made = wide.add(free_name(graph, node.label + ".native"), node.op, node.inputs);
    wide.place(node.label, ops::Cast{wider(wide.type(made).dtype)}, {made}, node.outputs);
  }
  for (const Value value : graph.results()) wide.returns(value);
  return wide;
}

Tensor widen(const TensorView& tensor) { return convert(tensor, wider(tensor.dtype())); }

Tensor widen(const Tensor& tensor) { return wider(tensor.dtype()) == tensor.dtype() ? tensor : widen(tensor.view()); }

Feeds widen(const Feeds& feeds) {
  Feeds wide;
  for (const auto& [name, tensor] : feeds) wide.emplace(name, widen(tensor));
  return wide;
}

}  // namespace plumb::ir::passes

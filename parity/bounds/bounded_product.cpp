// Replaces matrix products of a widened graph by products that make their own limits in the same go.
#include "parity/bounds/bounded_product.hpp"

#include <algorithm>

#include "parity/bounds/bounded_matmul.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

bool is_real_product(const ir::Graph& wide, const ir::Node& node) {
  if (!node.op.is<ir::ops::Matmul>()) return false;
  const ir::TensorType& a = wide.type(node.inputs[0]);
  return a.dtype == ir::DType::f64 && wide.type(node.inputs[1]).shape.elements() > 0 && a.shape.elements() > 0;
}

ir::TensorTypes types_of(const ir::Graph& graph, const std::vector<ir::Value>& values) {
  ir::TensorTypes types;
  for (const ir::Value v : values) types.push_back(graph.type(v));
  return types;
}

/// The op in place of a product; nothing is added to `graph` yet.
BoundedMatmul bounded(const ir::Graph& native, ir::Graph& graph, const ir::Node& node,
                      const bounds::Arithmetic& arithmetic) {
  bounds::ExpressionBuilder builder(graph);
  const bounds::Node asked{builder,   node.op, {}, {}, 0, types_of(native, node.inputs), types_of(native, node.outputs),
                           arithmetic};
  const auto& op = node.op.as<ir::ops::Matmul>();
  const ir::Shape& a = native.type(node.inputs[0]).shape;
  const std::int64_t k = op.transpose_a ? a[a.size() - 2] : a[a.size() - 1];
  const bounds::DotFactors factors = bounds::dot_factors(asked, k, bounds::has_exact_products(asked));
  return {op.transpose_a,    op.transpose_b,    factors.random,   factors.certain, factors.stored,
          factors.of_square, factors.of_spread, factors.of_terms, asked.least(0)};
}

}  // namespace

BoundedProducts with_bounded_products(const ir::Graph& native, const ir::Graph& wide,
                                      const bounds::Arithmetic& arithmetic) {
  const auto is_product = [&](const ir::Node& node) { return is_real_product(wide, node); };
  if (std::ranges::none_of(wide.nodes(), is_product)) return {wide, {}};
  BoundedProducts made{wide.sources(), {}};
  for (const ir::Node& node : wide.nodes()) {
    std::vector<ir::Value> inputs;
    for (const ir::Value v : node.inputs) inputs.push_back(made.at(v));
    if (!is_product(node)) {
      made.graph.place(node.label, node.op, inputs, node.outputs);
      continue;
    }
    const auto op = bounded(native, made.graph, node, arithmetic);
    made.renumbered[node.outputs[0]] = made.graph.add_all(node.label, op, inputs).front();
  }
  return made;
}

}  // namespace plumb::parity::bounds

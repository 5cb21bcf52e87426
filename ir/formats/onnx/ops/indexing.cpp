// Operators that read or write where indices say.

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/gather_elements.hpp"
#include "ir/ops/gather_nd.hpp"
#include "ir/ops/one_hot.hpp"
#include "ir/ops/scatter_elements.hpp"
#include "ir/ops/scatter_nd.hpp"
#include "ir/ops/tensor_scatter.hpp"

namespace plumb::ir::from_onnx {
namespace {

void gather(NodeReader& node) { node.out(0, node.add(ops::Gather{node.integer("axis", 0)}, {node.in(0), node.in(1)})); }

void gather_elements(NodeReader& node) {
  node.out(0, node.add(ops::GatherElements{node.integer("axis", 0)}, {node.in(0), node.in(1)}));
}

void gather_nd(NodeReader& node) {
  node.out(0, node.add(ops::GatherNd{node.integer("batch_dims", 0)}, {node.in(0), node.in(1)}));
}

kernels::ScatterReduction reduction_of(NodeReader& node) {
  const auto word = node.text("reduction", "none");
  if (word == "mul") return kernels::ScatterReduction::multiply;
  if (word == "max") return kernels::ScatterReduction::maximum;
  if (word == "min") return kernels::ScatterReduction::minimum;
  return NodeReader::choice_of<kernels::ScatterReduction>("reduction", word);
}

void scatter_elements(NodeReader& node) {
  const ops::ScatterElements op{.axis = node.integer("axis", 0), .reduction = reduction_of(node)};
  node.out(0, node.add(op, {node.in(0), node.in(1), node.in(2)}));
}

void scatter_nd(NodeReader& node) {
  node.out(0, node.add(ops::ScatterNd{reduction_of(node)}, {node.in(0), node.in(1), node.in(2)}));
}

void tensor_scatter(NodeReader& node) {
  const ops::TensorScatter op{.axis = node.integer("axis", -2),
                              .mode = node.choice("mode", ops::TensorScatterMode::linear),
                              .has_write_indices = node.has(2)};
  std::vector<Ref> operands = {node.in(0), node.in(1)};
  if (op.has_write_indices) operands.push_back(node.in(2));
  node.out(0, node.add(op, operands));
}

void one_hot(NodeReader& node) {
  const auto depth = node.known_ints(1, "depth");
  require(depth.size() == 1, "depth must be one number, got ", depth.size());
  Ref indices = node.in(0);
  if (!dtypes::X.contains(node.dtype(indices))) indices = node.cast(indices, DType::i64);
  node.out(0, node.add(ops::OneHot{.depth = depth[0], .axis = node.integer("axis", -1)}, {indices, node.in(2)}));
}

}  // namespace

std::span<const Converter> indexing_converters() {
  static constexpr Converter table[] = {
      {"Gather", gather},        {"GatherElements", gather_elements}, {"GatherND", gather_nd},
      {"OneHot", one_hot},       {"Scatter", scatter_elements},       {"ScatterElements", scatter_elements},
      {"ScatterND", scatter_nd}, {"TensorScatter", tensor_scatter},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx

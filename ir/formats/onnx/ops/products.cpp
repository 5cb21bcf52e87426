// MatMul, whose vectors become matrices for a while, Gemm and Einsum.
#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::ir::from_onnx {
namespace {

void matmul(NodeReader& node) {
  Ref a = node.in(0), b = node.in(1);
  const bool is_row = node.shape(a).rank() == 1, is_column = node.shape(b).rank() == 1;
  if (is_row) a = node.reshape(a, {1, node.shape(a)[0]});
  if (is_column) b = node.reshape(b, {node.shape(b)[0], 1});
  const Ref product = node.add(ops::Matmul{}, {a, b});
  Shape to = node.shape(product);
  if (is_column) to.pop_back();
  if (is_row) to.erase(to.end() - (is_column ? 1 : 2));
  node.out(0, node.reshape(product, to));
}

void gemm(NodeReader& node) {
  ops::Gemm op{.alpha = node.real("alpha", 1),
               .beta = node.real("beta", 1),
               .transpose_a = node.integer("transA", 0) != 0,
               .transpose_b = node.integer("transB", 0) != 0,
               .has_c = node.has(2)};
  std::vector<Ref> operands = {node.in(0), node.in(1)};
  if (op.has_c) operands.push_back(node.in(2));
  node.out(0, node.add(op, operands));
}

void einsum(NodeReader& node) {
  std::vector<Ref> operands;
  for (std::size_t i = 0; i < node.inputs(); ++i) operands.push_back(node.in(i));
  node.out(0, node.add(ops::Einsum{node.text("equation", "")}, operands));
}

}  // namespace

std::span<const Converter> products_converters() {
  static constexpr Converter table[] = {{"Einsum", einsum}, {"Gemm", gemm}, {"MatMul", matmul}};
  return table;
}

}  // namespace plumb::ir::from_onnx

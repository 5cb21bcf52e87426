// Products and convolutions of codes.
#include "ir/formats/onnx/write/geometry.hpp"
#include "ir/formats/onnx/write/writers.hpp"
#include "ir/kernels/codes.hpp"
#include "ir/ops/conv_integer.hpp"
#include "ir/ops/matmul_integer.hpp"
#include "ir/ops/qconv.hpp"
#include "ir/ops/qmatmul.hpp"

namespace plumb::ir::to_onnx {
namespace {

using kernels::MatrixLines;

/// Operand i under another shape of as many elements.
std::string reshaped(NodeWriter& node, std::size_t i, const Numbers& shape) {
  std::string name = node.between();
  node.add("Reshape", node.type(i).dtype, {node.in(i), node.stored(shape)}, {name}).integer("allowzero", 1);
  return name;
}

/// Operand i; where it has one element, as a tensor of rank 0, which ONNX takes for one of all.
std::string of_all_or_each(NodeWriter& node, std::size_t i) {
  const Shape& shape = node.shape(i);
  return shape.rank() > 0 && shape.elements() == 1 ? reshaped(node, i, {}) : node.in(i);
}

/// A scale or zero point of matrices, as ONNX takes it: of all, of each row or column in a tensor of rank 1, or of each
/// of every matrix.
std::string of_lines(NodeWriter& node, std::size_t i, std::size_t matrices, MatrixLines lines) {
  const Shape& shape = node.shape(i);
  if (shape.elements() == 1 || shape.rank() == 1) return of_all_or_each(node, i);
  Shape every = node.shape(matrices);
  every[every.size() - (lines == MatrixLines::rows ? 1 : 2)] = 1;
  if (shape == every) return node.in(i);
  const std::int64_t count = shape[shape.size() - (lines == MatrixLines::rows ? 2 : 1)];
  if (shape.elements() != count) NodeWriter::refuse("it has zero points of several matrices, but not of every row");
  return reshaped(node, i, {count});
}

void write_matmul_integer(const ops::MatmulInteger& op, NodeWriter& node) {
  Names operands = {node.in(0), node.in(1)};
  if (op.has_a_zero || op.has_b_zero) operands.push_back(op.has_a_zero ? of_lines(node, 2, 0, MatrixLines::rows) : "");
  if (op.has_b_zero) operands.push_back(of_lines(node, op.b_zero(), 1, MatrixLines::columns));
  node.add("MatMulInteger", operands, {node.out()});
}

void write_conv_integer(const ops::ConvInteger& op, NodeWriter& node) {
  Names operands = {node.in(0), node.in(1)};
  if (op.has_x_zero || op.has_w_zero) operands.push_back(op.has_x_zero ? of_all_or_each(node, 2) : "");
  if (op.has_w_zero) operands.push_back(of_all_or_each(node, op.w_zero()));
  set_convolution(node.add("ConvInteger", operands, {node.out()}), op, node.shape(1));
}

void write_qmatmul(const ops::Qmatmul& op, NodeWriter& node) {
  if (op.has_bias) NodeWriter::refuse("ONNX has no bias for it");
  const DType scale = node.type(1).dtype;
  if (scale == DType::f64) NodeWriter::refuse("its scales are in f64");
  if (scale != DType::f32) node.require_opset(21);
  Names operands = node.ins();
  for (const std::size_t i : {1, 2}) operands[i] = of_lines(node, i, 0, MatrixLines::rows);
  for (const std::size_t i : {4, 5}) operands[i] = of_lines(node, i, 3, MatrixLines::columns);
  for (const std::size_t i : {6, 7}) operands[i] = of_all_or_each(node, i);
  node.add("QLinearMatMul", operands, {node.out()});
}

void write_qconv(const ops::Qconv& op, NodeWriter& node) {
  if (node.type(1).dtype != DType::f32) NodeWriter::refuse("its scales are in ", node.type(1).dtype);
  Names operands = node.ins();
  for (const std::size_t i : {1, 2, 4, 5, 6, 7}) operands[i] = of_all_or_each(node, i);
  set_convolution(node.add("QLinearConv", operands, {node.out()}), op, node.shape(3));
}

}  // namespace

std::span<const Writer> integer_products_writers() {
  static constexpr Writer table[] = {
      writer<ops::ConvInteger, write_conv_integer>,
      writer<ops::MatmulInteger, write_matmul_integer>,
      writer<ops::Qconv, write_qconv>,
      writer<ops::Qmatmul, write_qmatmul>,
  };
  return table;
}

}  // namespace plumb::ir::to_onnx

// Products and convolutions of codes as their own ops; scales and zero points get the shapes that these take.
#include "ir/formats/onnx/compose/codes.hpp"

#include "ir/formats/onnx/compose/vectors.hpp"
#include "ir/formats/onnx/compose/window.hpp"
#include "ir/kernels/codes.hpp"
#include "ir/ops/conv_integer.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/matmul_integer.hpp"
#include "ir/ops/qconv.hpp"
#include "ir/ops/qmatmul.hpp"

namespace plumb::ir::from_onnx {
namespace {

using kernels::MatrixLines;

/// A scale or zero point of a whole matrix, of its rows ([M] or [.., M, 1]) or of its columns ([N] or [.., 1, N]).
Ref of_lines(NodeReader& node, Ref parameter, Ref matrices, MatrixLines lines) {
  Shape shape = node.shape(parameter);
  const Shape& of = node.shape(matrices);
  if (shape.elements() == 1) return node.reshape(parameter, {});
  while (shape.size() > of.size() && shape.front() == 1) shape.erase(shape.begin());
  require(kernels::shape_over_lines(shape, of, lines).has_value(), "a scale or zero point is ", node.type(parameter),
          " for the ", lines == MatrixLines::rows ? "rows" : "columns", " of ", of);
  return node.reshape(parameter, shape);
}

/// A scale or zero point of all filters, or one for each.
Ref of_filters(NodeReader& node, Ref parameter, Ref w) {
  const Shape& shape = node.shape(parameter);
  if (shape.elements() == 1) return node.reshape(parameter, {});
  require(shape == Shape{node.shape(w)[0]}, "a scale or zero point is ", node.type(parameter), " for the filters of ",
          node.shape(w));
  return parameter;
}

/// A scale or zero point of which there is one.
Ref of_all(NodeReader& node, Ref parameter) {
  if (node.shape(parameter).elements() != 1)
    NodeReader::unsupported("the scale or zero point of x or y is ", node.type(parameter), ", and one number is read");
  return node.reshape(parameter, {});
}

/// Gives a scale the zero points' shape, or these the scales', where one has one element and the other several.
void match(NodeReader& node, Ref& scale, Ref& zero) {
  const Shape of_scale = node.shape(scale), of_zero = node.shape(zero);
  if (of_scale == of_zero) return;
  if (of_zero.elements() == 1)
    zero = node.add(ops::Expand{of_scale}, {zero});
  else if (of_scale.elements() == 1)
    scale = node.add(ops::Expand{of_zero}, {scale});
}

/// An op with the strides, dilations, pads and groups of a convolution of x by w.
template <class Op>
Op convolution(const NodeReader& node, Ref x, Ref w) {
  const Shape& kernel = node.shape(w);
  require(kernel.rank() >= 3, "w must have spatial axes, got ", node.type(w));
  Window window = read_window(node, node.shape(x), std::vector<std::int64_t>(kernel.begin() + 2, kernel.end()));
  Op op;
  op.strides = std::move(window.strides);
  op.dilations = std::move(window.dilations);
  op.pads = std::move(window.pads);
  op.group = node.integer("group", 1);
  return op;
}

}  // namespace

void matmul_integer(NodeReader& node) {
  const Matrices matrices(node, node.in(0), node.in(1));
  std::vector<Ref> operands = {matrices.a, matrices.b};
  if (node.has(2)) operands.push_back(of_lines(node, node.in(2), matrices.a, MatrixLines::rows));
  if (node.has(3)) operands.push_back(of_lines(node, node.in(3), matrices.b, MatrixLines::columns));
  const ops::MatmulInteger op{.has_a_zero = node.has(2), .has_b_zero = node.has(3)};
  node.out(0, matrices.without_axes(node, node.add(op, operands)));
}

void conv_integer(NodeReader& node) {
  auto op = convolution<ops::ConvInteger>(node, node.in(0), node.in(1));
  std::vector<Ref> operands = {node.in(0), node.in(1)};
  op.has_x_zero = node.has(2);
  op.has_w_zero = node.has(3);
  if (op.has_x_zero) operands.push_back(of_all(node, node.in(2)));
  if (op.has_w_zero) operands.push_back(of_filters(node, node.in(3), node.in(1)));
  node.out(0, node.add(op, operands));
}

void qlinear_matmul(NodeReader& node) {
  const Matrices matrices(node, node.in(0), node.in(3));
  Ref a_scale = of_lines(node, node.in(1), matrices.a, MatrixLines::rows);
  Ref a_zero = of_lines(node, node.in(2), matrices.a, MatrixLines::rows);
  Ref b_scale = of_lines(node, node.in(4), matrices.b, MatrixLines::columns);
  Ref b_zero = of_lines(node, node.in(5), matrices.b, MatrixLines::columns);
  match(node, a_scale, a_zero);
  match(node, b_scale, b_zero);
  const Ref y = node.add(ops::Qmatmul{}, {matrices.a, a_scale, a_zero, matrices.b, b_scale, b_zero,
                                          of_all(node, node.in(6)), of_all(node, node.in(7))});
  node.out(0, matrices.without_axes(node, y));
}

void qlinear_conv(NodeReader& node) {
  const Ref x = node.in(0), w = node.in(3);
  auto op = convolution<ops::Qconv>(node, x, w);
  Ref w_scale = of_filters(node, node.in(4), w), w_zero = of_filters(node, node.in(5), w);
  match(node, w_scale, w_zero);
  std::vector<Ref> operands = {x,      of_all(node, node.in(1)), of_all(node, node.in(2)), w, w_scale,
                               w_zero, of_all(node, node.in(6)), of_all(node, node.in(7))};
  op.has_bias = node.has(8);
  if (op.has_bias) operands.push_back(node.in(8));
  node.out(0, node.add(op, operands));
}

}  // namespace plumb::ir::from_onnx

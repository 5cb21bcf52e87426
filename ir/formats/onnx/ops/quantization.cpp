// Quantised operators, spelled out: codes become numbers that hold them exactly.

#include <algorithm>

#include "ir/formats/onnx/window.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::ir::from_onnx {
namespace {

using ops::BinaryFunction;

Ref binary(NodeReader& node, BinaryFunction function, Ref a, Ref b) { return node.add(ops::Binary{function}, {a, b}); }

/// A scale or zero point of one axis, shaped to stretch along the others of x.
Ref along_axis(NodeReader& node, Ref parameter, const Shape& x, std::int64_t axis) {
  const Shape& shape = node.shape(parameter);
  if (shape.rank() == 0) return parameter;
  if (shape.elements() == 1) return node.reshape(parameter, {});
  if (shape.rank() != 1) NodeReader::unsupported("quantises by blocks");
  Shape column(x.size(), 1);
  const auto at = x.axis(axis);
  require(shape[0] == x[at], "has ", shape[0], " scales for axis ", axis, " of ", x);
  column[at] = shape[0];
  return node.reshape(parameter, column);
}

/// (codes - zero point), exact in `wide`.
Ref centred(NodeReader& node, Ref codes, std::optional<Ref> zero_point, DType wide) {
  const Ref numbers = node.cast(codes, wide);
  return zero_point ? binary(node, BinaryFunction::subtract, numbers, node.cast(*zero_point, wide)) : numbers;
}

/// round(x) + zero point, saturated to the codes of `to`.
Ref codes_of(NodeReader& node, Ref x, std::optional<Ref> zero_point, DType to) {
  if (to != DType::u8 && to != DType::i8 && to != DType::i16) NodeReader::unsupported("quantises to ", to);
  const DType wide = node.dtype(x);
  Ref shifted = node.add(ops::Unary{ops::UnaryFunction::round}, {x});
  if (zero_point) shifted = binary(node, BinaryFunction::add, shifted, node.cast(*zero_point, wide));
  const double low = to == DType::u8 ? 0 : to == DType::i8 ? -128 : -32768;
  const double high = to == DType::u8 ? 255 : to == DType::i8 ? 127 : 32767;
  return node.cast(node.add(ops::Clamp{}, {shifted, node.scalar(wide, low), node.scalar(wide, high)}), to);
}

void quantize_linear(NodeReader& node) {
  if (node.integer("block_size", 0) != 0) NodeReader::unsupported("quantises by blocks");
  const Shape x = node.shape(node.in(0));
  const auto axis = node.integer("axis", 1);
  const DType wide = node.dtype(node.in(0)) == DType::f64 ? DType::f64 : DType::f32;
  const Ref scale = along_axis(node, node.cast(node.in(1), wide), x, axis);
  std::optional<Ref> zero_point = node.maybe(2);
  const auto named = node.integer("output_dtype", 0);
  const DType to = zero_point ? node.dtype(*zero_point) : named != 0 ? dtype_of(named) : DType::u8;
  if (zero_point) zero_point = along_axis(node, *zero_point, x, axis);
  const Ref quotient = binary(node, BinaryFunction::divide, node.cast(node.in(0), wide), scale);
  node.out(0, codes_of(node, quotient, zero_point, to));
}

void dequantize_linear(NodeReader& node) {
  if (node.integer("block_size", 0) != 0) NodeReader::unsupported("quantises by blocks");
  const Shape x = node.shape(node.in(0));
  const auto axis = node.integer("axis", 1);
  const DType to = node.dtype(node.in(1));
  const DType wide = to == DType::f64 ? DType::f64 : DType::f32;
  std::optional<Ref> zero_point = node.maybe(2);
  if (zero_point) zero_point = along_axis(node, *zero_point, x, axis);
  const Ref scale = node.cast(along_axis(node, node.in(1), x, axis), wide);
  const Ref product = binary(node, BinaryFunction::multiply, centred(node, node.in(0), zero_point, wide), scale);
  node.out(0, node.cast(product, to));
}

/// A zero point of the rows of a, or of the columns of b.
std::optional<Ref> of_rows(NodeReader& node, std::optional<Ref> zero_point) {
  if (!zero_point || node.shape(*zero_point).rank() != 1 || node.shape(*zero_point)[0] == 1) {
    return zero_point ? std::optional(node.reshape(*zero_point, {})) : zero_point;
  }
  return node.reshape(*zero_point, {node.shape(*zero_point)[0], 1});
}

Ref integer_product(NodeReader& node, Ref a, Ref b, std::optional<Ref> a_zero, std::optional<Ref> b_zero) {
  return node.add(ops::Matmul{},
                  {centred(node, a, of_rows(node, a_zero), DType::i32), centred(node, b, b_zero, DType::i32)});
}

void matmul_integer(NodeReader& node) {
  node.out(0, integer_product(node, node.in(0), node.in(1), node.maybe(2), node.maybe(3)));
}

/// Sums of products of codes are whole numbers far below 2^53, so f64 holds them exactly.
Ref integer_conv(NodeReader& node, Ref x, Ref w, std::optional<Ref> x_zero, std::optional<Ref> w_zero) {
  const Shape& kernel = node.shape(w);
  require(kernel.rank() >= 3, "w must have spatial axes, got ", node.type(w));
  const Window window = read_window(node, node.shape(x), std::vector<std::int64_t>(kernel.begin() + 2, kernel.end()));
  if (x_zero) x_zero = node.reshape(*x_zero, {});
  if (w_zero) w_zero = along_axis(node, *w_zero, kernel, 0);
  return node.add(ops::Conv{.strides = window.strides,
                            .dilations = window.dilations,
                            .pads = window.pads,
                            .group = node.integer("group", 1)},
                  {centred(node, x, x_zero, DType::f64), centred(node, w, w_zero, DType::f64)});
}

void conv_integer(NodeReader& node) {
  node.out(0, node.cast(integer_conv(node, node.in(0), node.in(1), node.maybe(2), node.maybe(3)), DType::i32));
}

/// sums * (a_scale * b_scale / y_scale), rounded to codes; inputs from `first` on are
/// y_scale and y_zero_point.
void requantize(NodeReader& node, Ref sums, Ref a_scale, Ref b_scale, std::size_t first) {
  const Ref factor = binary(node, BinaryFunction::divide, binary(node, BinaryFunction::multiply, a_scale, b_scale),
                            node.reshape(node.in(first), {}));
  const Ref scaled = binary(node, BinaryFunction::multiply, node.cast(sums, node.dtype(factor)), factor);
  node.out(0, codes_of(node, scaled, node.reshape(node.in(first + 1), {}), node.dtype(node.in(first + 1))));
}

void qlinear_matmul(NodeReader& node) {
  const Ref sums = integer_product(node, node.in(0), node.in(3), node.in(2), node.in(5));
  const auto a_scale = of_rows(node, node.in(1));
  requantize(node, sums, *a_scale, node.in(4), 6);
}

void qlinear_conv(NodeReader& node) {
  Ref sums = integer_conv(node, node.in(0), node.in(3), node.in(2), node.in(5));
  const Shape y = node.shape(sums);
  if (node.has(8)) {
    const Ref bias = along_axis(node, node.cast(node.in(8), DType::f64), y, 1);
    sums = binary(node, BinaryFunction::add, sums, bias);
  }
  requantize(node, sums, node.reshape(node.in(1), {}), along_axis(node, node.in(4), y, 1), 6);
}

}  // namespace

std::span<const Converter> quantization_converters() {
  static constexpr Converter table[] = {
      {"ConvInteger", conv_integer}, {"DequantizeLinear", dequantize_linear}, {"MatMulInteger", matmul_integer},
      {"QLinearConv", qlinear_conv}, {"QLinearMatMul", qlinear_matmul},       {"QuantizeLinear", quantize_linear},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx

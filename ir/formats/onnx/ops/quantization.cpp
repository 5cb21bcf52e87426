// Quantised operators, spelled out: codes become numbers that hold them exactly.

#include <algorithm>
#include <limits>

#include "ir/formats/onnx/compose/arithmetic.hpp"
#include "ir/formats/onnx/compose/codes.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::ir::from_onnx {
namespace {

using ops::BinaryFunction;

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
  if (!(DType::u8 | DType::i8 | DType::u16 | DType::i16).contains(to)) NodeReader::unsupported("quantises to ", to);
  const DType wide = node.dtype(x);
  Ref shifted = node.add(ops::Unary{ops::UnaryFunction::round}, {x});
  if (zero_point) shifted = binary(node, BinaryFunction::add, shifted, node.cast(*zero_point, wide));
  double low = 0, high = 0;
  visit_integer(to, [&]<class T>(T) {
    low = static_cast<double>(std::numeric_limits<T>::min());
    high = static_cast<double>(std::numeric_limits<T>::max());
  });
  return node.cast(node.add(ops::Clamp{}, {shifted, node.scalar(wide, low), node.scalar(wide, high)}), to);
}

void quantize_linear(NodeReader& node) {
  if (node.integer("block_size", 0) != 0) NodeReader::unsupported("quantises by blocks");
  const Shape x = node.shape(node.in(0));
  const auto axis = node.integer("axis", 1);
  // f32 does not hold every i32.
  const DType given = node.dtype(node.in(0));
  const DType wide = given == DType::f64 || given == DType::i32 ? DType::f64 : DType::f32;
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

}  // namespace

std::span<const Converter> quantization_converters() {
  static constexpr Converter table[] = {
      {"ConvInteger", conv_integer},
      {"DequantizeLinear", dequantize_linear},
      {"MatMulInteger", matmul_integer},
      {"QLinearConv", qlinear_conv},
      {"QLinearMatMul", qlinear_matmul},
      {"QuantizeLinear", quantize_linear},
      {"com.microsoft.DequantizeLinear", dequantize_linear},
      {"com.microsoft.QuantizeLinear", quantize_linear},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx

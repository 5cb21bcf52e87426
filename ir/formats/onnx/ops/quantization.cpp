// Quantisers, and the table of what works on codes.

#include <algorithm>

#include "ir/formats/onnx/compose/arithmetic.hpp"
#include "ir/formats/onnx/compose/codes.hpp"
#include "ir/ops/dequantize_linear.hpp"
#include "ir/ops/dynamic_quantize_linear.hpp"
#include "ir/ops/quantize_linear.hpp"

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

/// A scale or zero point of a quantiser: one number, whatever its rank, or one for each place or block of an axis.
Ref of_quantizer(NodeReader& node, Ref parameter) {
  return node.shape(parameter).elements() == 1 ? node.reshape(parameter, {}) : parameter;
}

void quantize_linear(NodeReader& node) {
  Ref x = node.in(0), scale = of_quantizer(node, node.in(1));
  if (const auto precision = node.integer("precision", 0); precision != 0) {
    x = node.cast(x, dtype_of(precision));
    scale = node.cast(scale, dtype_of(precision));
  }
  if (node.dtype(x) == DType::i32) x = node.cast(x, DType::f64);  // f32 does not hold every i32
  ops::QuantizeLinear op{.axis = node.integer("axis", 1), .block_size = node.integer("block_size", 0)};
  std::vector<Ref> operands = {x, scale};
  node.integer("saturate", 1);  // It is a setting for float codes, which are not read.
  const auto named = node.integer("output_dtype", 0);
  op.dtype = named != 0 ? dtype_of(named) : DType::u8;
  if (node.has(2)) {
    const Ref zero_point = of_quantizer(node, node.in(2));
    require(named == 0 || op.dtype == node.dtype(zero_point), "output_dtype is ", op.dtype, ", the zero point is ",
            node.type(zero_point));
    op.dtype = node.dtype(zero_point);
    op.has_zero_point = true;
    operands.push_back(zero_point);
  }
  if (!ops::QuantizeLinear::codes.contains(op.dtype)) NodeReader::unsupported("quantises to ", op.dtype);
  node.out(0, node.add(op, operands));
}

bool is_zero_in_file(NodeReader& node, Ref ref) {
  const Tensor* const known = node.value_in_file(ref);
  if (known == nullptr) return false;
  const Tensor wide = convert(*known, DType::f64);
  return std::ranges::all_of(wide.as<double>(), [](double x) { return x == 0; });
}

/// Codes of int32 and a zero point that is not known to be 0, as ONNX has it there: spelled out in f64, which holds
/// their difference.
void shifted_i32(NodeReader& node, const ops::DequantizeLinear& op, Ref q, Ref scale) {
  if (op.block_size != 0) NodeReader::unsupported("dequantises codes of int32 by blocks, with a zero point");
  const Shape x = node.shape(q);
  const Ref zero_point = along_axis(node, node.in(2), x, op.axis);
  const Ref wide_scale = node.cast(along_axis(node, scale, x, op.axis), DType::f64);
  const Ref codes = node.cast(q, DType::f64);
  const Ref centred = binary(node, BinaryFunction::subtract, codes, node.cast(zero_point, DType::f64));
  const Ref product = binary(node, BinaryFunction::multiply, centred, wide_scale);
  node.out(0, node.cast(product, op.dtype.value_or(node.dtype(scale))));
}

void dequantize_linear(NodeReader& node) {
  const Ref q = node.in(0), scale = of_quantizer(node, node.in(1));
  ops::DequantizeLinear op{.axis = node.integer("axis", 1), .block_size = node.integer("block_size", 0)};
  if (const auto to = node.integer("output_dtype", 0); to != 0) op.dtype = dtype_of(to);
  std::vector<Ref> operands = {q, scale};
  const bool is_wide = node.dtype(q) == DType::i32;
  if (node.has(2) && !(is_wide && is_zero_in_file(node, node.in(2)))) {
    if (is_wide) return shifted_i32(node, op, q, scale);
    op.has_zero_point = true;
    operands.push_back(of_quantizer(node, node.in(2)));
  }
  node.out(0, node.add(op, operands));
}

void dynamic_quantize_linear(NodeReader& node) {
  const std::vector<Ref> made = node.add_all(ops::DynamicQuantizeLinear{}, {node.in(0)});
  for (std::size_t k = 0; k < made.size(); ++k) node.out(k, made[k]);
}

}  // namespace

std::span<const Converter> quantization_converters() {
  static constexpr Converter table[] = {
      {"ConvInteger", conv_integer},
      {"DequantizeLinear", dequantize_linear},
      {"DynamicQuantizeLinear", dynamic_quantize_linear},
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

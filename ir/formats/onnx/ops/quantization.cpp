// Quantisers, and quantised products, which are spelled out: codes become numbers that hold them exactly.

#include <algorithm>
#include <limits>

#include "ir/formats/onnx/compose/arithmetic.hpp"
#include "ir/formats/onnx/compose/vectors.hpp"
#include "ir/formats/onnx/compose/window.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/dequantize_linear.hpp"
#include "ir/ops/dynamic_quantize_linear.hpp"
#include "ir/ops/matmul.hpp"
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
  const Ref product = binary(node, BinaryFunction::multiply, centred(node, q, zero_point, DType::f64), wide_scale);
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

/// The lines of a matrix that have a scale or zero point each, where it has several.
enum class Lines { rows, columns };

/// A scale or zero point of a whole matrix, of its rows ([M] or [.., M, 1]) or of its columns ([N] or [.., 1, N]),
/// shaped to stretch along the other axis.
Ref of_lines(NodeReader& node, Ref parameter, const Shape& matrix, Lines lines) {
  Shape shape = node.shape(parameter);
  if (shape.elements() == 1) return node.reshape(parameter, {});
  const bool is_of_rows = lines == Lines::rows;
  if (shape.rank() == 1) shape.insert(is_of_rows ? shape.end() : shape.begin(), 1);
  while (shape.size() > matrix.size() && shape.front() == 1) shape.erase(shape.begin());
  const bool fits =
      shape.rank() >= 2 && broadcasts_to(shape, matrix) && shape[shape.size() - (is_of_rows ? 1 : 2)] == 1;
  require(fits, "a scale or zero point is ", node.type(parameter), " for the ", is_of_rows ? "rows" : "columns", " of ",
          matrix);
  return node.reshape(parameter, shape);
}

/// Sums of products of codes: a and b of `matrices`, less their zero points.
Ref integer_product(NodeReader& node, const Matrices& matrices, std::optional<Ref> a_zero, std::optional<Ref> b_zero) {
  if (a_zero) a_zero = of_lines(node, *a_zero, node.shape(matrices.a), Lines::rows);
  if (b_zero) b_zero = of_lines(node, *b_zero, node.shape(matrices.b), Lines::columns);
  return node.add(ops::Matmul{},
                  {centred(node, matrices.a, a_zero, DType::i32), centred(node, matrices.b, b_zero, DType::i32)});
}

void matmul_integer(NodeReader& node) {
  const Matrices matrices(node, node.in(0), node.in(1));
  node.out(0, matrices.without_axes(node, integer_product(node, matrices, node.maybe(2), node.maybe(3))));
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

/// A scale in f32 at least: sums of codes are beyond f16.
Ref wide_scale(NodeReader& node, Ref scale) {
  return node.dtype(scale) == DType::f64 ? scale : node.cast(scale, DType::f32);
}

/// sums * (a_scale * b_scale / y_scale), rounded to codes; inputs from `first` on are
/// y_scale and y_zero_point.
Ref requantized(NodeReader& node, Ref sums, Ref a_scale, Ref b_scale, std::size_t first) {
  for (const std::size_t i : {first, first + 1})
    if (node.shape(node.in(i)).elements() != 1)
      NodeReader::unsupported("the scale or zero point of y is ", node.type(node.in(i)), ", and one number is read");
  const Ref factor = binary(node, BinaryFunction::divide, binary(node, BinaryFunction::multiply, a_scale, b_scale),
                            wide_scale(node, node.reshape(node.in(first), {})));
  const Ref scaled = binary(node, BinaryFunction::multiply, node.cast(sums, node.dtype(factor)), factor);
  return codes_of(node, scaled, node.reshape(node.in(first + 1), {}), node.dtype(node.in(first + 1)));
}

void qlinear_matmul(NodeReader& node) {
  const Matrices matrices(node, node.in(0), node.in(3));
  const Ref sums = integer_product(node, matrices, node.in(2), node.in(5));
  const Ref a_scale = of_lines(node, wide_scale(node, node.in(1)), node.shape(matrices.a), Lines::rows);
  const Ref b_scale = of_lines(node, wide_scale(node, node.in(4)), node.shape(matrices.b), Lines::columns);
  node.out(0, matrices.without_axes(node, requantized(node, sums, a_scale, b_scale, 6)));
}

void qlinear_conv(NodeReader& node) {
  Ref sums = integer_conv(node, node.in(0), node.in(3), node.in(2), node.in(5));
  const Shape y = node.shape(sums);
  if (node.has(8)) {
    const Ref bias = along_axis(node, node.cast(node.in(8), DType::f64), y, 1);
    sums = binary(node, BinaryFunction::add, sums, bias);
  }
  const Ref x_scale = wide_scale(node, node.reshape(node.in(1), {})), w_scale = wide_scale(node, node.in(4));
  node.out(0, requantized(node, sums, x_scale, along_axis(node, w_scale, y, 1), 6));
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

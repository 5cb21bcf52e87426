// Quantisers, and the table of what works on codes.

#include <algorithm>

#include "ir/formats/onnx/compose/arithmetic.hpp"
#include "ir/formats/onnx/compose/codes.hpp"
#include "ir/ops/dequantize_linear.hpp"
#include "ir/ops/dynamic_quantize_linear.hpp"
#include "ir/ops/quantize_linear.hpp"

namespace plumb::ir::from_onnx {
namespace {

using kernels::CodeFormat;
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

/// A scale or zero point of a quantiser: one number, whatever its rank, or one for each place or block of an axis.
Ref of_quantizer(NodeReader& node, Ref parameter) {
  return node.shape(parameter).elements() == 1 ? node.reshape(parameter, {}) : parameter;
}

bool is_zero_in_file(NodeReader& node, Ref ref) {
  const Tensor* const known = node.value_in_file(ref);
  if (known == nullptr) return false;
  const Tensor wide = convert(*known, DType::f64);
  return std::ranges::all_of(wide.as<double>(), [](double x) { return x == 0; });
}

/// The zero point of codes of this type, which float codes have in name alone.
std::optional<Ref> zero_point_of(NodeReader& node, const CodeType* codes) {
  if (!node.has(2)) return std::nullopt;
  const Ref zero_point = node.in(2);
  const CodeType* const own = node.codes_in(zero_point);
  const std::int64_t type = codes != nullptr ? codes->onnx_type : 0, own_type = own != nullptr ? own->onnx_type : 0;
  require(type == own_type, "the zero point is of ", own_type != 0 ? type_name(own_type) : cat(node.type(zero_point)),
          ", the codes of ", type != 0 ? type_name(type) : "another type");
  if (codes == nullptr || codes->format == CodeFormat::integer) return of_quantizer(node, zero_point);
  if (!is_zero_in_file(node, zero_point)) NodeReader::unsupported("float codes have a zero point that may not be 0");
  return std::nullopt;
}

/// The type of the codes that a node makes: that of its zero point, or the one it names, or uint8.
struct MadeCodes {
  DType dtype = DType::u8;
  std::optional<CodeType> codes = {};
};

MadeCodes made_codes(NodeReader& node) {
  const auto named = node.integer("output_dtype", 0);
  MadeCodes made;
  if (named != 0) {
    made.codes = code_type(named);
    made.dtype = made.codes ? made.codes->dtype : dtype_of(named);
  } else if (node.has(2)) {
    if (const CodeType* const codes = node.codes_in(node.in(2))) made.codes = *codes;
    made.dtype = node.dtype(node.in(2));
  }
  return made;
}

void quantize_linear(NodeReader& node) {
  Ref x = node.in(0), scale = of_quantizer(node, node.in(1));
  if (const auto precision = node.integer("precision", 0); precision != 0) {
    x = node.cast(x, dtype_of(precision));
    scale = node.cast(scale, dtype_of(precision));
  }
  if (node.dtype(x) == DType::i32) x = node.cast(x, DType::f64);  // f32 does not hold every i32
  const bool saturates = node.integer("saturate", 1) != 0;
  const auto [dtype, codes] = made_codes(node);
  if (!ops::QuantizeLinear::codes.contains(dtype)) NodeReader::unsupported("quantises to ", dtype);
  ops::QuantizeLinear op{.dtype = dtype, .axis = node.integer("axis", 1), .block_size = node.integer("block_size", 0)};
  if (codes && codes->format == CodeFormat::integer) op.bits = codes->bits;
  if (codes) op.code = codes->format;
  if (op.code == CodeFormat::e4m3 || op.code == CodeFormat::e5m2) op.saturate = saturates;
  std::vector<Ref> operands = {x, scale};
  if (const auto zero_point = zero_point_of(node, codes ? &*codes : nullptr)) {
    op.has_zero_point = true;
    operands.push_back(*zero_point);
  }
  const Ref y = node.add(op, operands);
  if (codes) node.note_codes(y, *codes);
  node.out(0, y);
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
  const CodeType* const codes = node.codes_in(q);
  ops::DequantizeLinear op{.axis = node.integer("axis", 1), .block_size = node.integer("block_size", 0)};
  if (codes != nullptr) op.code = codes->format;
  if (const auto to = node.integer("output_dtype", 0); to != 0) op.dtype = dtype_of(to);
  std::vector<Ref> operands = {q, scale};
  const bool is_wide = node.dtype(q) == DType::i32;
  if (is_wide && node.has(2) && !is_zero_in_file(node, node.in(2))) return shifted_i32(node, op, q, scale);
  if (!is_wide)
    if (const auto zero_point = zero_point_of(node, codes)) {
      op.has_zero_point = true;
      operands.push_back(*zero_point);
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

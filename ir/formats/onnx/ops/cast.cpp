// Cast and CastLike, before opset 6 with the type written as a word, and BitCast.
#include "ir/ops/cast.hpp"

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/bitcast.hpp"
#include "ir/ops/dequantize_linear.hpp"
#include "ir/ops/quantize_linear.hpp"

namespace plumb::ir::from_onnx {
namespace {

/// The numbers of float codes: in the dtype itself where it is one of reals, else in f32, which holds them all.
Ref numbers_of(NodeReader& node, Ref x, const CodeType& from, DType to) {
  const DType real = is_float(to) ? to : DType::f32;
  return node.add(ops::DequantizeLinear{.code = from.format}, {x, node.scalar(real, 1)});
}

/// A cast to floats of 8 or 4 bits, which is quantising by a scale of 1.
void cast_to_codes(NodeReader& node, Ref x, const CodeType& to) {
  if (to.format == kernels::CodeFormat::integer)
    NodeReader::unsupported("what a number beyond ", type_name(to.onnx_type), " becomes is not defined");
  if (const CodeType* const from = node.codes_in(x)) {
    if (*from == to) return node.out(0, x);
    if (from->format != kernels::CodeFormat::integer) x = numbers_of(node, x, *from, DType::f32);
  }
  if (!is_float(node.dtype(x))) x = node.cast(x, DType::f64);
  const bool may_overflow = to.format != kernels::CodeFormat::e2m1;
  const bool saturates = node.integer("saturate", 1) != 0 || !may_overflow;
  const Ref y = node.add(ops::QuantizeLinear{.dtype = to.dtype, .code = to.format, .saturate = saturates},
                         {x, node.scalar(DType::f32, 1)});
  node.note_codes(y, to);
  node.out(0, y);
}

void cast(NodeReader& node) {
  const auto* named = node.attribute("to");
  require(named != nullptr, "attribute 'to' is missing");
  // Before opset 6 the type was written as a word.
  std::int64_t to = named->i();
  if (named->type() == ::onnx::AttributeProto::STRING) {
    ::onnx::TensorProto::DataType parsed{};
    require(::onnx::TensorProto::DataType_Parse(named->s(), &parsed), "there is no type '", named->s(), "'");
    to = parsed;
  }
  const Ref x = node.in(0);
  const CodeType* const from = node.codes_in(x);
  if (const auto codes = code_type(to)) return cast_to_codes(node, x, *codes);
  const bool are_floats = from != nullptr && from->format != kernels::CodeFormat::integer;
  node.out(0, node.cast(are_floats ? numbers_of(node, x, *from, dtype_of(to)) : x, dtype_of(to)));
}

void bit_cast(NodeReader& node) { node.out(0, node.add(ops::Bitcast{dtype_of(node.integer("to"))}, {node.in(0)})); }

void cast_like(NodeReader& node) { node.out(0, node.cast(node.in(0), node.dtype(node.in(1)))); }

}  // namespace

std::span<const Converter> cast_converters() {
  static constexpr Converter table[] = {{"BitCast", bit_cast}, {"Cast", cast}, {"CastLike", cast_like}};
  return table;
}

}  // namespace plumb::ir::from_onnx

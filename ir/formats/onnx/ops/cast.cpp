// Cast and CastLike, before opset 6 with the type written as a word, and BitCast.
#include "ir/ops/cast.hpp"

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/bitcast.hpp"

namespace plumb::ir::from_onnx {
namespace {

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
  node.out(0, node.cast(node.in(0), dtype_of(to)));
}

void bit_cast(NodeReader& node) { node.out(0, node.add(ops::Bitcast{dtype_of(node.integer("to"))}, {node.in(0)})); }

void cast_like(NodeReader& node) { node.out(0, node.cast(node.in(0), node.dtype(node.in(1)))); }

}  // namespace

std::span<const Converter> cast_converters() {
  static constexpr Converter table[] = {{"BitCast", bit_cast}, {"Cast", cast}, {"CastLike", cast_like}};
  return table;
}

}  // namespace plumb::ir::from_onnx

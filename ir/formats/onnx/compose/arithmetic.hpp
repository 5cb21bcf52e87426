// Elementwise functions as converters write them.
#pragma once

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::ir::from_onnx {

/// function(a, b), broadcast.
inline Ref binary(NodeReader& node, ops::BinaryFunction function, Ref a, Ref b) {
  return node.add(ops::Binary{function}, {a, b});
}

/// function(x) of each element.
inline Ref unary(NodeReader& node, ops::UnaryFunction function, Ref x) { return node.add(ops::Unary{function}, {x}); }

}  // namespace plumb::ir::from_onnx

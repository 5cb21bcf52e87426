// Operands and attributes of operators by ONNX's own definitions.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <span>
#include <string>

#include "ir/shape.hpp"

namespace plumb::ir::from_onnx {

/// The type as ONNX writes it.
::onnx::TypeProto type_proto(const TensorType& type);

/// Whether ONNX's operator has an attribute of that name, in this opset or in the newest one that the library knows.
bool has_attribute(const ::onnx::NodeProto& node, std::int64_t opset, const std::string& name);

/// How operands of these types break the rules of the node's operator; empty where they keep to them, or where the
/// library does not know the operator in this opset. Operands that are left out have no type.
std::string broken_type_rule(const ::onnx::NodeProto& node, std::int64_t opset,
                             std::span<const std::optional<TensorType>> operands);

}  // namespace plumb::ir::from_onnx

#pragma once

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/registered_op.hpp"

namespace plumb::ir::from_onnx {

/// The registered op of a domain and an operator of it, "acme" and "swish2"; else null.
const DeclaredOp* find_registered(const ::onnx::NodeProto& node);

/// Reads a node as a registered op, its attributes by their names. Throws Error and Unsupported.
void convert_registered(const DeclaredOp& op, NodeReader& node);

}  // namespace plumb::ir::from_onnx

// Fields of files that are newer than the ONNX library: read from the bytes where they have a meaning, else refused.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

namespace plumb::ir::from_onnx {

/// The last IR version whose fields are known here.
inline constexpr int newest_ir_version = 13;

/// Which of the functions of one name this is, or the node calls; mostly empty (IR version 10).
std::string overload_of(const ::onnx::FunctionProto& function);
std::string overload_of(const ::onnx::NodeProto& node);

/// The attributes of a function that have defaults (IR version 9). Throws Error where their bytes are damaged.
std::vector<::onnx::AttributeProto> defaults_of(const ::onnx::FunctionProto& function);

/// Throws Unsupported when the message itself has a field, or an enum has a value, that neither the library knows nor
/// this reader. Of a node its attributes are looked at, of a value its type, of a model and a function the opsets;
/// messages that are read elsewhere are looked at there.
void refuse_unknown_fields(const ::onnx::ModelProto& model);
void refuse_unknown_fields(const ::onnx::GraphProto& graph);
void refuse_unknown_fields(const ::onnx::FunctionProto& function);
void refuse_unknown_fields(const ::onnx::NodeProto& node);
void refuse_unknown_fields(const ::onnx::ValueInfoProto& value);
void refuse_unknown_fields(const ::onnx::TensorProto& tensor);
void refuse_unknown_fields(const ::onnx::SparseTensorProto& tensor);

}  // namespace plumb::ir::from_onnx

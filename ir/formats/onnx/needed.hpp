// Removes the parts of a model that its outputs do not need: what cannot be read there blocks nothing.
#pragma once

#include <onnx/onnx_pb.h>

#include <set>
#include <string>

namespace plumb::ir::from_onnx {

/// Results of nodes, by where their names are kept in the model, that nothing reads.
using Unread = std::set<const std::string*>;

/// Removes the nodes and initialisers that no output needs, in subgraphs and functions too; inputs of the model and
/// their default values stay. Returns the further results of the nodes that are left.
Unread keep_what_outputs_need(::onnx::ModelProto& model);

}  // namespace plumb::ir::from_onnx

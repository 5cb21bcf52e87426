// Names of an ONNX file for values that its graph calls by other names.
#pragma once

#include "ir/formats/onnx/draft.hpp"

namespace plumb::ir::from_onnx {

/// Tensors of a draft by the names that a file has for them; nothing where a name stands for none, or for several.
using NamedRefs = std::map<std::string, std::optional<Ref>, std::less<>>;

/// GraphFile::aliases: the values of a finished graph by those names in its file that the graph does not have itself.
/// `values` are what Draft::finish returned for it. Tensors that the graph has no more are left out.
std::map<std::string, Value, std::less<>> aliases_of(const Graph& graph, const NamedRefs& refs,
                                                     const std::vector<std::optional<Value>>& values);

}  // namespace plumb::ir::from_onnx

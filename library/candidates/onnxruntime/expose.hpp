// Models of ONNX as bytes: which values they name, and how more of these become outputs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::library::candidates::onnxruntime {

/// Names of a model's main graph, in the order of the file; views into its bytes.
struct ModelNames {
  std::vector<std::string_view> computed;  ///< outputs of nodes
  std::vector<std::string_view> inputs, results;
  std::map<std::string_view, std::string_view> stored;  ///< tensors by name, as the bytes of their messages
};

/// Reads a ModelProto, with no more of it than names. Throws Error where the bytes are none.
ModelNames names_of(std::string_view model);

/// The model with these values as outputs, besides those that it has, and with these tensors (messages of TensorProto)
/// stored. It is written behind the model as a second field `graph`, which whoever reads the file merges into the
/// first: nothing else changes. Throws Error where the bytes are no ModelProto, or the new ones are more than 2 GiB.
std::string exposed(std::string_view model, const std::vector<std::string_view>& names,
                    const std::vector<std::string_view>& tensors = {});

}  // namespace plumb::library::candidates::onnxruntime

// Activations that a node names in an attribute.
#pragma once

#include "ir/formats/onnx/node_reader.hpp"

namespace plumb::ir::from_onnx {

/// A function by ONNX's name in lower case, with its parameters.
struct NamedFunction {
  std::string name;
  double alpha = 0, beta = 0;

  bool operator==(const NamedFunction&) const = default;
};

std::string lower_case(std::string name);

/// function(x). Throws Unsupported when there is no such function.
Ref apply(NodeReader& node, const NamedFunction& function, Ref x);

}  // namespace plumb::ir::from_onnx

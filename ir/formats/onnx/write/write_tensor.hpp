#pragma once

#include <string>

#include "ir/tensor.hpp"

namespace plumb::ir::formats {

/// The bytes of a file with one TensorProto, as read_tensor_proto reads it. Throws Unsupported where the tensor has
/// more bytes than such a file may.
std::string write_tensor_proto(const std::string& name, const TensorView& tensor);

}  // namespace plumb::ir::formats

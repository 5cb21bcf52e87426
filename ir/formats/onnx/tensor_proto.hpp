#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>

#include "ir/tensor.hpp"

namespace plumb::ir::from_onnx {

/// The dtype that ONNX numbers so. Throws Unsupported where there is none.
DType dtype_of(std::int64_t onnx_type);

/// "float16", "string": what ONNX calls its type.
std::string type_name(std::int64_t onnx_type);

/// Reads tensors, of the file and of files beside it, up to a sum of bytes.
class TensorReader {
 public:
  TensorReader(std::filesystem::path directory, std::uint64_t most_bytes)
      : directory_(std::move(directory)), bytes_left_(most_bytes) {}

  /// Throws Error when the numbers are not exactly as many as the shape wants, before
  /// anything of that size is allocated.
  Tensor read(const ::onnx::TensorProto& proto);
  Tensor read(const ::onnx::SparseTensorProto& proto);

  /// Asks for the memory of a tensor. Throws Error when there is too little left.
  void take(const TensorType& type);

 private:
  Tensor read_external(const ::onnx::TensorProto& proto, const TensorType& type);

  std::filesystem::path directory_;
  std::uint64_t bytes_left_;
};

}  // namespace plumb::ir::from_onnx

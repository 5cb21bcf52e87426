// Writes single tensors as ONNX's backend tests have them.
#include "ir/formats/onnx/write/write_tensor.hpp"

#include <onnx/onnx_pb.h>

#include "ir/formats/onnx/write/operators.hpp"

namespace plumb::ir::formats {

std::string write_tensor_proto(const std::string& name, const TensorView& tensor) {
  constexpr std::size_t most_bytes = (std::size_t{1} << 31U) - (std::size_t{1} << 16U);  // protobuf's, less the rest
  const auto bytes = tensor.bytes();
  if (bytes.size() > most_bytes)
    throw Unsupported(cat("'", name, "' has ", bytes.size(), " bytes, and a TensorProto at most ", most_bytes));
  ::onnx::TensorProto proto;
  proto.set_name(name);
  for (const std::int64_t extent : tensor.shape()) proto.add_dims(extent);
  proto.set_data_type(to_onnx::onnx_type(tensor.dtype()));
  proto.set_raw_data(bytes.data(), bytes.size());
  return proto.SerializeAsString();
}

}  // namespace plumb::ir::formats

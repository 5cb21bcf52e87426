#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "ir/formats/onnx/onnx_file.hpp"

namespace plumb::tests {

/// Writes small ONNX models.
class ModelMaker {
 public:
  explicit ModelMaker(std::int64_t opset);

  /// Extents below 0 become symbols "n".
  ModelMaker& input(const std::string& name, std::vector<std::int64_t> extents, int type = ::onnx::TensorProto::FLOAT);
  ModelMaker& output(const std::string& name);
  ModelMaker& initializer(const std::string& name, const std::vector<std::int64_t>& extents,
                          const std::vector<float>& values);
  ModelMaker& initializer(const std::string& name, const std::vector<std::int64_t>& values);
  ::onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs);
  ::onnx::GraphProto& graph() { return *proto_.mutable_graph(); }
  ::onnx::ModelProto& proto() { return proto_; }

  std::string bytes() const { return proto_.SerializeAsString(); }
  ir::formats::OnnxModel read(ir::formats::OnnxOptions options = {}) const;
  /// The first output for these inputs, by the CPU executor.
  ir::Tensor run(const ir::Feeds& feeds) const;

 private:
  ::onnx::ModelProto proto_;
};

void set_int(::onnx::NodeProto& node, const std::string& name, std::int64_t value);
void set_ints(::onnx::NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values);
void set_real(::onnx::NodeProto& node, const std::string& name, float value);
void set_text(::onnx::NodeProto& node, const std::string& name, const std::string& value);
::onnx::GraphProto& set_graph(::onnx::NodeProto& node, const std::string& name);

}  // namespace plumb::tests

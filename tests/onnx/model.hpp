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
  /// Takes bool, u8, i8, i32, i64, f16, f32 and f64.
  ModelMaker& initializer(const std::string& name, const ir::Tensor& tensor);
  /// Imports another domain, so that nodes may be of it.
  ModelMaker& domain(const std::string& name, std::int64_t opset);
  ::onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs);
  ::onnx::GraphProto& graph() { return *proto_.mutable_graph(); }
  ::onnx::ModelProto& proto() { return proto_; }

  std::string bytes() const { return proto_.SerializeAsString(); }
  ir::formats::OnnxModel read(ir::formats::OnnxOptions options = {}) const;
  /// The first output for these inputs, by the CPU executor.
  ir::Tensor run(const ir::Feeds& feeds) const { return run_all(feeds).at(0); }
  std::vector<ir::Tensor> run_all(const ir::Feeds& feeds) const;

 private:
  ::onnx::ModelProto proto_;
};

/// ONNX's number for a dtype that `initializer` takes.
int onnx_type(ir::DType dtype);

/// The numbers of a tensor of any real, integer or bool dtype.
std::vector<double> numbers(const ir::Tensor& tensor);

/// Numbers between -2 and 2 that differ.
std::vector<double> wave(std::int64_t count, double phase);

ir::Tensor tensor(const ir::Shape& shape, const std::vector<double>& values, ir::DType dtype = ir::DType::f32);

void set_int(::onnx::NodeProto& node, const std::string& name, std::int64_t value);
void set_ints(::onnx::NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values);
void set_real(::onnx::NodeProto& node, const std::string& name, float value);
void set_reals(::onnx::NodeProto& node, const std::string& name, const std::vector<float>& values);
void set_texts(::onnx::NodeProto& node, const std::string& name, const std::vector<std::string>& values);
void set_text(::onnx::NodeProto& node, const std::string& name, const std::string& value);
::onnx::GraphProto& set_graph(::onnx::NodeProto& node, const std::string& name);

}  // namespace plumb::tests

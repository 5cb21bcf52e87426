#include "tests/onnx/model.hpp"

#include <cmath>

#include "ref_cpu/cpu_executor.hpp"

namespace plumb::tests {
namespace {

::onnx::AttributeProto& attribute(::onnx::NodeProto& node, const std::string& name,
                                  ::onnx::AttributeProto::AttributeType type) {
  auto* added = node.add_attribute();
  added->set_name(name);
  added->set_type(type);
  return *added;
}

}  // namespace

ModelMaker::ModelMaker(std::int64_t opset) {
  proto_.set_ir_version(8);
  auto* import = proto_.add_opset_import();
  import->set_domain("");
  import->set_version(opset);
  proto_.mutable_graph()->set_name("test");
}

ModelMaker& ModelMaker::input(const std::string& name, std::vector<std::int64_t> extents, int type) {
  auto* added = graph().add_input();
  added->set_name(name);
  auto* tensor = added->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  tensor->mutable_shape();
  for (const auto extent : extents) {
    auto* dimension = tensor->mutable_shape()->add_dim();
    if (extent < 0)
      dimension->set_dim_param("n");
    else
      dimension->set_dim_value(extent);
  }
  return *this;
}

ModelMaker& ModelMaker::output(const std::string& name) {
  auto* added = graph().add_output();
  added->set_name(name);
  added->mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
  added->mutable_type()->mutable_tensor_type()->mutable_shape();
  return *this;
}

ModelMaker& ModelMaker::initializer(const std::string& name, const std::vector<std::int64_t>& extents,
                                    const std::vector<float>& values) {
  auto* tensor = graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(::onnx::TensorProto::FLOAT);
  for (const auto extent : extents) tensor->add_dims(extent);
  for (const float value : values) tensor->add_float_data(value);
  return *this;
}

ModelMaker& ModelMaker::initializer(const std::string& name, const std::vector<std::int64_t>& values) {
  auto* tensor = graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(::onnx::TensorProto::INT64);
  tensor->add_dims(static_cast<std::int64_t>(values.size()));
  for (const auto value : values) tensor->add_int64_data(value);
  return *this;
}

ModelMaker& ModelMaker::initializer(const std::string& name, const ir::Tensor& tensor) {
  auto* proto = graph().add_initializer();
  proto->set_name(name);
  proto->set_data_type(onnx_type(tensor.dtype()));
  for (const auto extent : tensor.shape()) proto->add_dims(extent);
  const auto raw = tensor.bytes();
  proto->set_raw_data(raw.data(), raw.size());
  return *this;
}

ModelMaker& ModelMaker::domain(const std::string& name, std::int64_t opset) {
  auto* import = proto_.add_opset_import();
  import->set_domain(name);
  import->set_version(opset);
  return *this;
}

::onnx::NodeProto& ModelMaker::node(const std::string& op, const std::vector<std::string>& inputs,
                                    const std::vector<std::string>& outputs) {
  auto* added = graph().add_node();
  added->set_op_type(op);
  for (const auto& name : inputs) added->add_input(name);
  for (const auto& name : outputs) added->add_output(name);
  return *added;
}

ir::formats::OnnxModel ModelMaker::read(ir::formats::OnnxOptions options) const {
  ref_cpu::CpuExecutor executor;
  options.evaluate = ir::formats::evaluate_with(executor);
  return ir::formats::parse_onnx(bytes(), {}, options);
}

std::vector<ir::Tensor> ModelMaker::run_all(const ir::Feeds& feeds) const {
  ref_cpu::CpuExecutor executor;
  const auto model = read({.given = feeds});
  auto all = ir::formats::materialise(model.file, 1);
  for (const auto& [name, tensor] : feeds) all.insert_or_assign(name, tensor);
  const auto& graph = model.file.graph;
  const auto results = executor.run(graph, all, graph.results());
  std::vector<ir::Tensor> outputs;
  for (const ir::Value value : graph.results()) outputs.push_back(results.at(value));
  return outputs;
}

int onnx_type(ir::DType dtype) {
  using ::onnx::TensorProto;
  static constexpr std::pair<ir::DType, int> all[] = {
      {ir::DType::boolean, TensorProto::BOOL}, {ir::DType::u8, TensorProto::UINT8},
      {ir::DType::i8, TensorProto::INT8},      {ir::DType::i32, TensorProto::INT32},
      {ir::DType::i64, TensorProto::INT64},    {ir::DType::f16, TensorProto::FLOAT16},
      {ir::DType::f32, TensorProto::FLOAT},    {ir::DType::f64, TensorProto::DOUBLE}};
  for (const auto& [ours, theirs] : all)
    if (ours == dtype) return theirs;
  ir::fail("no test has ", dtype);
}

std::vector<double> numbers(const ir::Tensor& tensor) {
  const ir::Tensor wide = ir::convert(tensor, ir::DType::f64);
  const auto values = wide.as<double>();
  return {values.begin(), values.end()};
}

std::vector<double> wave(std::int64_t count, double phase) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(2 * std::sin(phase + 1.7 * static_cast<double>(i))));
  return values;
}

ir::Tensor tensor(const ir::Shape& shape, const std::vector<double>& values, ir::DType dtype) {
  return ir::convert(ir::Tensor::of<double>(shape, values), dtype);
}

void set_int(::onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  attribute(node, name, ::onnx::AttributeProto::INT).set_i(value);
}

void set_ints(::onnx::NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values) {
  auto& added = attribute(node, name, ::onnx::AttributeProto::INTS);
  for (const auto value : values) added.add_ints(value);
}

void set_real(::onnx::NodeProto& node, const std::string& name, float value) {
  attribute(node, name, ::onnx::AttributeProto::FLOAT).set_f(value);
}

void set_reals(::onnx::NodeProto& node, const std::string& name, const std::vector<float>& values) {
  auto& added = attribute(node, name, ::onnx::AttributeProto::FLOATS);
  for (const auto value : values) added.add_floats(value);
}

void set_texts(::onnx::NodeProto& node, const std::string& name, const std::vector<std::string>& values) {
  auto& added = attribute(node, name, ::onnx::AttributeProto::STRINGS);
  for (const auto& value : values) added.add_strings(value);
}

void set_text(::onnx::NodeProto& node, const std::string& name, const std::string& value) {
  attribute(node, name, ::onnx::AttributeProto::STRING).set_s(value);
}

::onnx::GraphProto& set_graph(::onnx::NodeProto& node, const std::string& name) {
  auto& added = attribute(node, name, ::onnx::AttributeProto::GRAPH);
  added.mutable_g()->set_name(name);
  return *added.mutable_g();
}

}  // namespace plumb::tests

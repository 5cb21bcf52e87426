// Names, tensors and attributes of a model that is being made.
#include "ir/formats/onnx/write/node_writer.hpp"

#include <algorithm>
#include <limits>

#include "ir/ops/constant.hpp"

namespace plumb::ir::to_onnx {
namespace {

/// Protobuf's limit of a message, less what names and types may take.
constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 31U) - (std::uint64_t{1} << 24U);

void set_type(::onnx::ValueInfoProto& proto, const std::string& name, const TensorType& type) {
  proto.set_name(name);
  auto& tensor = *proto.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx_type(type.dtype));
  auto& shape = *tensor.mutable_shape();
  for (const std::int64_t extent : type.shape) shape.add_dim()->set_dim_value(extent);
}

::onnx::AttributeProto& attribute_of(::onnx::NodeProto& node, std::string_view name,
                                     ::onnx::AttributeProto::AttributeType type) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(std::string(name));
  attribute.set_type(type);
  return attribute;
}

}  // namespace

ModelWriter::ModelWriter(const Graph& graph, const Feeds& stored, Params params)
    : graph_(graph), stored_(stored), params_(params), opset_(oldest_opset) {
  proto_.set_producer_name("plumbline");
}

::onnx::NodeProto& ModelWriter::add_node(std::string_view op, DType dtype) {
  require_opset(first_opset(op, dtype));
  auto& node = *proto_.mutable_graph()->add_node();
  node.set_op_type(std::string(op));
  return node;
}

std::string ModelWriter::free_name(const std::string& label) {
  const std::size_t values = names_.empty() ? graph_.value_count() : 0;
  for (Value value = 0; value < values; ++value)
    if (graph_.defined(value)) names_.insert(graph_.name(value));
  std::string name = label;
  for (std::size_t k = 1; !names_.insert(name).second; ++k) name = cat(label, k);
  return name;
}

void ModelWriter::require_room(std::uint64_t bytes) const {
  if (bytes > most_bytes - bytes_)
    throw Unsupported("the tensors of the graph do not fit into an ONNX file, which has 2 GiB");
}

void ModelWriter::fill(::onnx::TensorProto& proto, const TensorView& tensor) {
  const auto bytes = tensor.bytes();
  require_room(bytes.size());
  bytes_ += bytes.size();
  for (const std::int64_t extent : tensor.shape()) proto.add_dims(extent);
  proto.set_data_type(onnx_type(tensor.dtype()));
  proto.set_raw_data(bytes.data(), bytes.size());
}

void ModelWriter::store(const std::string& name, const TensorView& tensor) {
  auto& proto = *proto_.mutable_graph()->add_initializer();
  proto.set_name(name);
  fill(proto, tensor);
}

bool ModelWriter::holds(Value value, const std::function<bool(const Tensor&)>& are_so) const {
  if (const auto producer = graph_.producer(value)) {
    const Op& op = graph_.nodes()[*producer].op;
    if (!op.is<ops::Constant>()) return false;
    const auto& constant = op.as<ops::Constant>();
    Tensor tensor({constant.dtype, Shape(constant.shape)});
    std::ranges::copy(constant.data, tensor.bytes().begin());
    return are_so(tensor);
  }
  if (value < graph_.inputs().size()) return false;
  const auto found = stored_.find(graph_.name(value));
  if (found != stored_.end()) return are_so(found->second);
  return params_ == Params::later;
}

void ModelWriter::finish() {
  auto& graph = *proto_.mutable_graph();
  graph.set_name("plumbline");
  for (Value value = 0; graph_.is_source(value); ++value) {
    const std::string name = graph_.name(value);
    const auto found = value < graph_.inputs().size() ? stored_.end() : stored_.find(name);
    if (found != stored_.end())
      store(name, found->second);
    else
      set_type(*graph.add_input(), name, graph_.type(value));
  }
  std::set<Value> results;
  for (const Value value : graph_.results())
    if (results.insert(value).second) set_type(*graph.add_output(), graph_.name(value), graph_.type(value));
  for (const Node& node : graph_.nodes())
    for (const Value value : node.outputs)
      if (!results.contains(value)) set_type(*graph.add_value_info(), graph_.name(value), graph_.type(value));
  constexpr std::int64_t ir_version = 8;  // nothing newer is made use of, and opsets do not depend on it
  proto_.set_ir_version(ir_version);
  proto_.add_opset_import()->set_version(opset_);
}

std::string ModelWriter::bytes() const {
  if (proto_.ByteSizeLong() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw Unsupported("the graph does not fit into an ONNX file, which has 2 GiB");
  std::string bytes;
  require(proto_.SerializeToString(&bytes), "the graph cannot be written as an ONNX model");
  return bytes;
}

const Attributes& Attributes::integer(std::string_view name, std::int64_t value) const {
  attribute_of(*proto_, name, ::onnx::AttributeProto::INT).set_i(value);
  return *this;
}

const Attributes& Attributes::integers(std::string_view name, const Numbers& values) const {
  auto& attribute = attribute_of(*proto_, name, ::onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
  return *this;
}

const Attributes& Attributes::text(std::string_view name, std::string_view value) const {
  attribute_of(*proto_, name, ::onnx::AttributeProto::STRING).set_s(std::string(value));
  return *this;
}

const Attributes& Attributes::texts(std::string_view name, const Names& values) const {
  auto& attribute = attribute_of(*proto_, name, ::onnx::AttributeProto::STRINGS);
  for (const std::string& value : values) attribute.add_strings(value);
  return *this;
}

const Attributes& Attributes::real(std::string_view name, double value) const {
  const auto held = static_cast<float>(value);
  const bool is_exact = static_cast<double>(held) == value || value != value;
  if (dtype_ == DType::f64 && !is_exact) NodeWriter::refuse(name, " is ", value, ", and attributes of ONNX are f32");
  attribute_of(*proto_, name, ::onnx::AttributeProto::FLOAT).set_f(held);
  return *this;
}

Names NodeWriter::ins() const {
  Names names;
  for (std::size_t i = 0; i < inputs(); ++i) names.push_back(in(i));
  return names;
}

Names NodeWriter::outs() const {
  Names names;
  for (std::size_t k = 0; k < outputs(); ++k) names.push_back(out(k));
  return names;
}

Attributes NodeWriter::add(std::string_view op, DType dtype, const Names& operands, const Names& results) {
  auto& proto = model_.add_node(op, dtype);
  for (const std::string& name : operands) proto.add_input(name);
  for (const std::string& name : results) proto.add_output(name);
  if (results.size() == 1) proto.set_name(results.front());
  return {proto, dtype};
}

std::string NodeWriter::stored(const Tensor& tensor) {
  std::string name = between();
  model_.store(name, tensor);
  return name;
}

std::string NodeWriter::stored(const Numbers& values) {
  return stored(Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values));
}

std::string NodeWriter::filled(const TensorType& type, double value) {
  Tensor wide({DType::f64, type.shape});
  std::ranges::fill(wide.as<double>(), value);
  return stored(convert(wide, type.dtype));
}

std::string NodeWriter::cast(const std::string& value, DType from, DType to) {
  if (from == to) return value;
  std::string name = between();
  add("Cast", from, {value}, {name}).integer("to", onnx_type(to));
  return name;
}

std::string NodeWriter::wide(std::size_t i) {
  const DType from = type(i).dtype;
  return cast(in(i), from, from == DType::f16 || from == DType::bf16 ? DType::f32 : from);
}

std::string NodeWriter::as_i64(std::size_t i) { return cast(in(i), type(i).dtype, DType::i64); }

void NodeWriter::cast_result(std::size_t k, DType made, const std::function<void(const std::string&)>& write) {
  const DType wanted = result_type(k).dtype;
  if (made == wanted) return write(out(k));
  const std::string name = between();
  write(name);
  add("Cast", made, {name}, {out(k)}).integer("to", onnx_type(wanted));
}

void NodeWriter::constant(const Tensor& tensor) {
  auto& proto = model_.add_node("Constant", tensor.dtype());
  proto.add_output(out());
  proto.set_name(out());
  model_.fill(*attribute_of(proto, "value", ::onnx::AttributeProto::TENSOR).mutable_t(), tensor);
}

void NodeWriter::require_known(std::size_t i, const std::function<bool(const Tensor&)>& are_so,
                               std::string_view words) const {
  if (!model_.holds(node_.inputs.at(i), are_so)) refuse(words);
}

}  // namespace plumb::ir::to_onnx

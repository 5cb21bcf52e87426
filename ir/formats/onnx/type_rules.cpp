// Asks the schemas of the ONNX library what types and attributes an operator takes.
#include "ir/formats/onnx/type_rules.hpp"

#include <onnx/defs/data_type_utils.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <limits>
#include <map>

#include "ir/formats/onnx/names.hpp"
#include "ir/formats/onnx/tensor_proto.hpp"

namespace plumb::ir::from_onnx {

::onnx::TypeProto type_proto(const TensorType& type) {
  ::onnx::TypeProto proto;
  for (int i = 1; ::onnx::TensorProto::DataType_IsValid(i); ++i) {
    try {
      if (dtype_of(i) == type.dtype) proto.mutable_tensor_type()->set_elem_type(i);
    } catch (const Unsupported&) {
      continue;
    }
  }
  auto* shape = proto.mutable_tensor_type()->mutable_shape();
  for (const auto extent : type.shape) shape->add_dim()->set_dim_value(extent);
  return proto;
}

bool has_attribute(const ::onnx::NodeProto& node, std::int64_t opset, const std::string& name) {
  const auto domain = domain_of(node.domain());
  const auto version = static_cast<int>(std::clamp<std::int64_t>(opset, 0, std::numeric_limits<int>::max()));
  const auto has = [&](const ::onnx::OpSchema* schema) {
    return schema != nullptr && schema->attributes().contains(name);
  };
  return has(::onnx::OpSchemaRegistry::Schema(node.op_type(), domain)) ||
         has(::onnx::OpSchemaRegistry::Schema(node.op_type(), version, domain));
}

std::string broken_type_rule(const ::onnx::NodeProto& node, std::int64_t opset,
                             std::span<const std::optional<TensorType>> operands) {
  const auto domain = domain_of(node.domain());
  const auto& domains = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  const auto range = domains.find(domain);
  if (range == domains.end() || opset > range->second.second) return "";
  if (node.op_type() == "GridSample") return "";  // newer schemas of opset 16 let image and grid differ
  const auto* schema = ::onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(opset), domain);
  if (schema == nullptr || schema->inputs().empty()) return "";
  std::map<std::string, DType> bound;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) continue;
    const auto& parameter = schema->inputs()[std::min(i, schema->inputs().size() - 1)];
    const DType dtype = operands[i]->dtype;
    const auto type = ::onnx::Utils::DataTypeUtils::ToType(type_proto({dtype, {}}));
    if (!parameter.GetTypes().contains(type))
      return cat("input ", i, " (", parameter.GetName(), ") is of ", dtype, ", which ONNX's ", clean(node.op_type()),
                 " does not take");
    const bool is_shared = parameter.GetOption() != ::onnx::OpSchema::Variadic || parameter.GetIsHomogeneous();
    const auto [held, is_new] = bound.emplace(parameter.GetTypeStr(), dtype);
    if (is_shared && !is_new && held->second != dtype)
      return cat("its inputs are of ", held->second, " and ", dtype, ", and ONNX's ", clean(node.op_type()),
                 " takes one type for both");
  }
  return "";
}

}  // namespace plumb::ir::from_onnx

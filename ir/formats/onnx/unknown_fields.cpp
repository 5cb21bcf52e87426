#include "ir/formats/onnx/unknown_fields.hpp"

#include <google/protobuf/unknown_field_set.h>

#include <algorithm>

#include "ir/error.hpp"
#include "ir/formats/onnx/names.hpp"

namespace plumb::ir::from_onnx {
namespace {

using google::protobuf::UnknownField;

// Numbers of fields that ONNX 1.12 does not know (onnx.proto of ONNX 1.20).
constexpr int node_overload = 8, function_defaults = 11, function_overload = 13;

/// A field that is read above, or changes nothing of what a model computes.
struct KnownField {
  std::string_view message;
  int number;
};
constexpr KnownField known_fields[] = {
    {"ModelProto", 26},     // configuration: on how many devices a model is meant to run
    {"GraphProto", 16},     // metadata_props: text for people and tools
    {"FunctionProto", 12},  // value_info: types that follow from the operators
    {"FunctionProto", 14},  // metadata_props
    {"NodeProto", 9},       // metadata_props
    {"NodeProto", 10},      // device_configurations: which device computes which part
    {"TensorProto", 16},    // metadata_props
    {"ValueInfoProto", 4},  // metadata_props
    {"FunctionProto", function_defaults},
    {"FunctionProto", function_overload},
    {"NodeProto", node_overload},
};

/// Calls act(field) for every field of the message that the library does not know.
template <class Message, class Act>
void for_each_unknown(const Message& message, Act act) {
  const auto& unknown = message.unknown_fields();
  if constexpr (requires { unknown.field_count(); }) {
    for (int i = 0; i < unknown.field_count(); ++i) act(unknown.field(i));
  } else if (!unknown.empty()) {  // a library of lite messages keeps their bytes
    google::protobuf::UnknownFieldSet fields;
    require(fields.ParseFromString(unknown), "has damaged fields");
    for (int i = 0; i < fields.field_count(); ++i) act(fields.field(i));
  }
}

template <class Message>
void refuse_fields(const Message& message, std::string_view name) {
  for_each_unknown(message, [&](const UnknownField& field) {
    const auto is_this = [&](const KnownField& known) {
      return known.message == name && known.number == field.number();
    };
    if (std::ranges::any_of(known_fields, is_this)) return;
    throw Unsupported(cat("field ", field.number(), " of ", name, " is not known here, where fields are to IR version ",
                          newest_ir_version, ": what it means would be lost"));
  });
}

template <class Message>
std::string text_of(const Message& message, int number) {
  std::string text;
  for_each_unknown(message, [&](const UnknownField& field) {
    if (field.number() == number && field.type() == UnknownField::TYPE_LENGTH_DELIMITED)
      text = field.length_delimited();  // the last one counts
  });
  return text;
}

template <class Message>
std::string overload_in(const Message& message, int number) {
  if constexpr (requires { message.overload(); })
    return message.overload();
  else
    return text_of(message, number);
}

template <class Function>
std::vector<::onnx::AttributeProto> defaults_in(const Function& function) {
  if constexpr (requires { function.attribute_proto(); }) {
    return {function.attribute_proto().begin(), function.attribute_proto().end()};
  } else {
    std::vector<::onnx::AttributeProto> defaults;
    for_each_unknown(function, [&](const UnknownField& field) {
      if (field.number() != function_defaults) return;
      require(field.type() == UnknownField::TYPE_LENGTH_DELIMITED &&
                  defaults.emplace_back().ParseFromString(field.length_delimited()),
              "the default of an attribute is damaged");
    });
    return defaults;
  }
}

void refuse_in(const ::onnx::TypeProto& type) {
  refuse_fields(type, "TypeProto");
  refuse_fields(type.tensor_type(), "TypeProto.Tensor");
  refuse_fields(type.tensor_type().shape(), "TensorShapeProto");
  for (const auto& dimension : type.tensor_type().shape().dim()) refuse_fields(dimension, "TensorShapeProto.Dimension");
}

}  // namespace

std::string overload_of(const ::onnx::FunctionProto& function) { return overload_in(function, function_overload); }

std::string overload_of(const ::onnx::NodeProto& node) { return overload_in(node, node_overload); }

std::vector<::onnx::AttributeProto> defaults_of(const ::onnx::FunctionProto& function) {
  auto defaults = defaults_in(function);
  for (const auto& attribute : defaults) refuse_fields(attribute, "AttributeProto");
  return defaults;
}

void refuse_unknown_fields(const ::onnx::ModelProto& model) {
  refuse_fields(model, "ModelProto");
  for (const auto& import : model.opset_import()) refuse_fields(import, "OperatorSetIdProto");
}

void refuse_unknown_fields(const ::onnx::GraphProto& graph) { refuse_fields(graph, "GraphProto"); }

void refuse_unknown_fields(const ::onnx::FunctionProto& function) {
  refuse_fields(function, "FunctionProto");
  for (const auto& import : function.opset_import()) refuse_fields(import, "OperatorSetIdProto");
}

void refuse_unknown_fields(const ::onnx::NodeProto& node) {
  refuse_fields(node, "NodeProto");
  for (const auto& attribute : node.attribute()) refuse_fields(attribute, "AttributeProto");
}

void refuse_unknown_fields(const ::onnx::ValueInfoProto& value) {
  refuse_fields(value, "ValueInfoProto");
  refuse_in(value.type());
}

void refuse_unknown_fields(const ::onnx::TensorProto& tensor) { refuse_fields(tensor, "TensorProto"); }

void refuse_unknown_fields(const ::onnx::SparseTensorProto& tensor) { refuse_fields(tensor, "SparseTensorProto"); }

}  // namespace plumb::ir::from_onnx

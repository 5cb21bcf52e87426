// Operators that are defined by others: functions of the model, and those that ONNX itself
// defines by a body.

#include <onnx/defs/function.h>
#include <onnx/defs/schema.h>

#include "ir/formats/onnx/importer.hpp"
#include "ir/formats/onnx/names.hpp"
#include "ir/formats/onnx/type_rules.hpp"
#include "ir/formats/onnx/unknown_fields.hpp"

namespace plumb::ir::from_onnx {
namespace {

using Arguments = std::map<std::string, const ::onnx::AttributeProto*, std::less<>>;

/// The node with attributes that refer to its function's replaced by those, and with the
/// defaults of attributes that it leaves out.
::onnx::NodeProto with_attributes(const ::onnx::NodeProto& node, const NodeReader& reader,
                                  const ::onnx::OpSchema& schema) {
  ::onnx::NodeProto copy = node;
  copy.clear_attribute();
  const auto add = [&](const std::string& name, const ::onnx::AttributeProto& value) {
    auto* added = copy.add_attribute();
    *added = value;
    added->set_name(name);
  };
  for (const auto& attribute : node.attribute())
    if (const auto* found = reader.attribute(attribute.name())) add(attribute.name(), *found);
  for (const auto& declared : schema.attributes())
    if (declared.second.default_value.has_type() && reader.attribute(declared.first) == nullptr)
      add(declared.first, declared.second.default_value);
  return copy;
}

}  // namespace

void Importer::inline_function(const ::onnx::NodeProto& node, const ::onnx::FunctionProto& function, Scope& outer) {
  NodeReader caller(*this, node, outer);
  refuse_unknown_fields(function);
  require(node.input_size() <= function.input_size(), "has ", node.input_size(), " inputs, its function takes ",
          function.input_size());
  const auto& label = node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
  Scope scope{.prefix = clean(outer.prefix + label) + "/", .opsets = outer.opsets, .depth = outer.depth + 1};
  for (const auto& import : function.opset_import()) scope.opsets[domain_of(import.domain())] = import.version();
  const auto defaults = defaults_of(function);  // the arguments point into them
  Arguments arguments;
  for (const auto& attribute : defaults) arguments[attribute.name()] = &attribute;
  for (const auto& attribute : node.attribute())
    if (const auto* found = caller.attribute(attribute.name())) arguments[attribute.name()] = found;
  scope.arguments = &arguments;
  for (int i = 0; i < function.input_size(); ++i) {
    const auto given = caller.maybe(static_cast<std::size_t>(i));
    if (given)
      scope.values[function.input(i)] = {*given};
    else
      scope.absent.insert(function.input(i));
  }
  for (const auto& inner : function.node()) read_node(inner, scope);
  for (int k = 0; k < function.output_size() && k < node.output_size(); ++k) {
    if (!caller.wants(static_cast<std::size_t>(k))) continue;
    const auto* found = scope.find(function.output(k));
    require(found != nullptr, "its body does not compute '", clean(function.output(k)), "'");
    if (found->ref)
      caller.out(static_cast<std::size_t>(k), *found->ref);
    else
      outer.values[node.output(k)] = *found;
  }
}

bool Importer::inline_schema(const ::onnx::NodeProto& node, Scope& scope) try {
  const auto domain = domain_of(node.domain());
  const auto opset = scope.opsets.find(domain);
  if (opset == scope.opsets.end()) return false;
  const auto* schema = ::onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(opset->second), domain);
  if (schema == nullptr) return false;
  if (!schema->HasFunction() && !schema->HasContextDependentFunction()) return false;
  const NodeReader reader(*this, node, scope);
  const auto concrete = with_attributes(node, reader, *schema);
  if (schema->HasFunction()) {
    inline_function(concrete, *schema->GetFunction(), scope);
    return true;
  }
  std::vector<::onnx::TypeProto> types;
  for (std::size_t i = 0; i < reader.inputs(); ++i)
    types.push_back(reader.has(i) ? type_proto(reader.type(reader.in(i))) : ::onnx::TypeProto());
  ::onnx::FunctionProto function;
  if (!schema->BuildContextDependentFunction(::onnx::FunctionBodyBuildContextImpl(concrete, types), function))
    return false;
  // The attributes of `function` nodes point into it, so it must live until they are read.
  inline_function(node, function, scope);
  return true;
} catch (const Error&) {
  throw;
} catch (const std::exception& problem) {
  fail("ONNX cannot expand it: ", clean(problem.what()));
}

}  // namespace plumb::ir::from_onnx

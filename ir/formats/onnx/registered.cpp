// Operators of other domains that a program registered an op for.
#include "ir/formats/onnx/registered.hpp"

#include <algorithm>

#include "ir/formats/onnx/names.hpp"
#include "ir/op_list.hpp"

namespace plumb::ir::from_onnx {
namespace {

Attribute attribute_of(const DeclaredOp::Field& field, const NodeReader& node) {
  if (field.kind == "bool") return node.integer(field.name) != 0;
  if (field.kind == "int") return node.integer(field.name);
  if (field.kind == "real") return node.real(field.name);
  if (field.kind == "ints") return node.ints(field.name).value_or(std::vector<std::int64_t>());
  if (field.kind == "reals") return node.reals(field.name).value_or(std::vector<double>());
  const std::string word = node.text(field.name, "");
  const bool is_choice = field.choices.empty() || std::ranges::count(field.choices, word) > 0;
  require(is_choice, "attribute '", field.name, "': there is no choice '", clean(word), "'");
  return word;
}

}  // namespace

const DeclaredOp* find_registered(const ::onnx::NodeProto& node) {
  if (is_default(node.domain())) return nullptr;
  const OpSchema* const schema = find_schema(cat(node.domain(), '.', node.op_type()));
  return schema == nullptr ? nullptr : registered(*schema);
}

void convert_registered(const DeclaredOp& op, NodeReader& node) {
  Attributes attributes;
  for (const DeclaredOp::Field& field : op.fields)
    if (node.attribute(field.name) != nullptr) attributes.emplace(field.name, attribute_of(field, node));
  std::vector<Ref> operands;
  for (std::size_t i = 0; i < node.inputs(); ++i) operands.push_back(node.in(i));
  const std::vector<Ref> made = node.add_all(op.schema->read(attributes), operands);
  require(node.outputs() <= made.size(), "has ", node.outputs(), " outputs, and ", op.name, " has ", made.size());
  for (std::size_t k = 0; k < node.outputs(); ++k) node.out(k, made[k]);
  node.refuse_newer_attributes();
}

}  // namespace plumb::ir::from_onnx

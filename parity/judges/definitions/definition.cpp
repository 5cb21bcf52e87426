// Finds the definition of an op in the table that CMake writes of parity/judges/definitions/ops.
#include "parity/judges/definitions/definition.hpp"

#include "parity/judges/definitions/op_table.hpp"

namespace plumb::parity::judges::definitions {
namespace {

using Define = Definition (*)(const ir::Op&, ir::Types);

const ir::OpTable<Define>& table() {
  static const auto all = Ops::table<Define>(
      []<class T>() -> Define { return [](const ir::Op& op, ir::Types in) { return define(op.as<T>(), in); }; });
  return all;
}

}  // namespace

Definition begin(ir::Types in) {
  Definition made;
  for (const ir::TensorType& type : in) {
    const bool is_narrow = type.dtype == ir::DType::f16 || type.dtype == ir::DType::bf16;
    made.operands.push_back(
        made.graph.input(ir::cat('x', made.operands.size()), {is_narrow ? ir::DType::f32 : type.dtype, type.shape}));
  }
  return made;
}

std::optional<Definition> find_definition(const ir::Op& op, ir::Types in) {
  const auto found = table().find(&op.schema());
  return found == table().end() ? std::nullopt : std::optional(found->second(op, in));
}

bool has_definition(const ir::Op& op) { return table().contains(&op.schema()); }

std::vector<const ir::OpSchema*> defined_ops() { return Ops::schemas(); }

}  // namespace plumb::parity::judges::definitions

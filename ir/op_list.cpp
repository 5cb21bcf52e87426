// The schemas of all ops of the IR, in one table, and the search by name, which finds registered ops, too.
#include "ir/op_table.hpp"
#include "ir/registered_op.hpp"

namespace plumb::ir {

const std::vector<const OpSchema*>& all_schemas() {
  static const auto schemas = Ops::schemas();
  return schemas;
}

const OpSchema* find_schema(std::string_view name) {
  for (const auto* schema : all_schemas())
    if (schema->name == name) return schema;
  if (name.find('.') != std::string_view::npos)
    for (const DeclaredOp* const op : registered_ops())
      if (op->name == name) return op->schema;
  return nullptr;
}

std::vector<const OpSchema*> known_schemas() {
  std::vector<const OpSchema*> all = all_schemas();
  for (const DeclaredOp* const op : registered_ops()) all.push_back(op->schema);
  return all;
}

}  // namespace plumb::ir

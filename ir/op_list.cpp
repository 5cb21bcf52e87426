// The schemas of all ops of the IR, in one table, and the search by name.
#include "ir/op_table.hpp"

namespace plumb::ir {

const std::vector<const OpSchema*>& all_schemas() {
  static const auto schemas = Ops::schemas();
  return schemas;
}

const OpSchema* find_schema(std::string_view name) {
  for (const auto* schema : all_schemas())
    if (schema->name == name) return schema;
  return nullptr;
}

}  // namespace plumb::ir

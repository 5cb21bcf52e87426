// Finds the lines of ops that have sums inside, for those elements that are looked at one by one.
#include "parity/settle/rows.hpp"

#include "parity/settle/op_table.hpp"

namespace plumb::parity::settle {
namespace {

using MakeRows = std::optional<Rows> (*)(const Operation&);

const ir::OpTable<MakeRows>& row_table() {
  static const auto all = Ops::table<MakeRows>([]<class T>() -> MakeRows {
    return [](const Operation& operation) { return rows(operation.node.op.as<T>(), operation); };
  });
  return all;
}

}  // namespace

std::optional<Rows> find_rows(const Operation& operation) {
  const auto found = row_table().find(&operation.node.op.schema());
  return found == row_table().end() ? std::nullopt : found->second(operation);
}

std::vector<const ir::OpSchema*> ops_with_rows() { return Ops::schemas(); }

}  // namespace plumb::parity::settle

// Finds the symmetries that an op declares; an op without a declaration has none.
#include "parity/relations/symmetry.hpp"

#include "parity/relations/op_table.hpp"

namespace plumb::parity::relations {
namespace {

using Declared = Symmetries (*)(const ir::Op&, ir::Types in, ir::Types out);

const ir::OpTable<Declared>& table() {
  static const auto all = Ops::table<Declared>([]<class T>() -> Declared {
    return [](const ir::Op& op, ir::Types in, ir::Types out) { return symmetries(op.as<T>(), in, out); };
  });
  return all;
}

}  // namespace

Symmetries symmetries_of(const ir::Op& op, ir::Types in, ir::Types out) {
  const auto found = table().find(&op.schema());
  return found == table().end() ? Symmetries{} : found->second(op, in, out);
}

}  // namespace plumb::parity::relations

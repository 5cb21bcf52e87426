// Makes the symmetries of an op from its loops, and adds what only the op itself knows.
#include "parity/checks/relations/symmetry.hpp"

#include "parity/checks/relations/op_table.hpp"

namespace plumb::parity::checks::relations {
namespace {

using Amend = void (*)(const ir::Op&, ir::Types in, ir::Types out, Symmetries& made);

const ir::OpTable<Amend>& table() {
  static const auto all = Ops::table<Amend>([]<class T>() -> Amend {
    return [](const ir::Op& op, ir::Types in, ir::Types out, Symmetries& made) { amend(op.as<T>(), in, out, made); };
  });
  return all;
}

/// Each operand that the result follows, with all that is added.
std::vector<Homogeneity> homogeneous_operands(const ir::Loops& loops, std::size_t count) {
  std::vector<std::size_t> addends;
  for (std::size_t i = 0; i < count; ++i)
    if (loops.operand(i).role == ir::Role::addend) addends.push_back(i);
  std::vector<Homogeneity> made;
  for (std::size_t i = 0; i < count; ++i) {
    const ir::Degree degree = loops.operand(i).degree;
    if (degree == ir::Degree::none) continue;
    made.push_back({.operands = {i}, .linear = degree == ir::Degree::linear});
    made.back().operands.insert(made.back().operands.end(), addends.begin(), addends.end());
  }
  return made;
}

}  // namespace

Symmetries symmetries_of(const ir::Op& op, ir::Types in, ir::Types out) {
  const ir::Loops loops = ir::loops_of(op, in, out);
  Symmetries made{
      .loops = loops.loops, .homogeneous = homogeneous_operands(loops, in.size()), .tiled = ir::is_product(loops)};
  if (const auto found = table().find(&op.schema()); found != table().end()) found->second(op, in, out, made);
  return made;
}

}  // namespace plumb::parity::checks::relations

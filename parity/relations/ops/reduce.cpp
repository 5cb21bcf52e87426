// Symmetries of reductions: kept axes by themselves, reduced ones in any order, linearity or scaling by function.
#include "ir/ops/reduce.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Reduce& op, ir::Types in, ir::Types) {
  using enum ir::ops::ReduceFunction;
  const auto gone = op.reduced(in[0].shape);
  Symmetries made;
  std::size_t place = 0;
  for (std::size_t a = 0; a < gone.size(); ++a) {
    made.axes.push_back(gone[a] ? summed({a}) : AxisSymmetry{.out = place, .in = {a}});
    place += !gone[a] || op.keep_dims;
  }
  const bool is_linear = op.function == sum || op.function == mean;
  if (is_linear || op.function == max || op.function == min || op.function == l1)
    made.homogeneous = {{.operands = {0}, .linear = is_linear}};
  return made;
}

}  // namespace plumb::parity::relations

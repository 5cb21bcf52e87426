// Symmetries of binary functions: every axis, and by function scaling, linearity and commutativity.
#include "ir/ops/binary.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Binary& op, ir::Types in, ir::Types out) {
  using enum ir::ops::BinaryFunction;
  Symmetries made{.axes = elementwise(in, out[0].shape)};
  const bool is_sum = op.function == add || op.function == subtract;
  const bool is_extreme = op.function == maximum || op.function == minimum;
  if (is_sum || is_extreme) made.homogeneous = {{.operands = {0, 1}, .linear = is_sum}};
  if (op.function == multiply || op.function == divide) made.homogeneous = {{.operands = {0}, .linear = true}};
  if (op.function == multiply) made.homogeneous.push_back({.operands = {1}, .linear = true});
  if (op.function == add || op.function == multiply || is_extreme) made.exchange = Exchange{op};
  return made;
}

}  // namespace plumb::parity::relations

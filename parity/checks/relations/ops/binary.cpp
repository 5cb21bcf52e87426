// Binary functions: by function scaling, linearity and commutativity.
#include "ir/ops/binary.hpp"

#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::Binary& op, ir::Types, ir::Types, Symmetries& made) {
  using enum ir::ops::BinaryFunction;
  const bool is_sum = op.function == add || op.function == subtract;
  const bool is_extreme = op.function == maximum || op.function == minimum;
  if (is_sum || is_extreme) made.homogeneous = {{.operands = {0, 1}, .linear = is_sum}};
  if (op.function == multiply || op.function == divide) made.homogeneous = {{.operands = {0}, .linear = true}};
  if (op.function == multiply) made.homogeneous.push_back({.operands = {1}, .linear = true});
  if (op.function == add || op.function == multiply || is_extreme) made.exchange = Exchange{op};
}

}  // namespace plumb::parity::checks::relations

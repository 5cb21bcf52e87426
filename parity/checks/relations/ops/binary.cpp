// Binary functions: by function scaling, linearity and commutativity.
#include "ir/ops/binary.hpp"

#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::Binary& op, ir::Types in, ir::Types, Symmetries& made) {
  using enum ir::ops::BinaryFunction;
  const bool is_sum = op.function == add || op.function == subtract;
  const bool is_extreme = op.function == maximum || op.function == minimum;
  if (is_sum || is_extreme) made.homogeneous = {{.operands = {0, 1}, .linear = is_sum}};
  if (op.function == multiply || op.function == divide) made.homogeneous = {{.operands = {0}, .linear = true}};
  if (op.function == multiply) made.homogeneous.push_back({.operands = {1}, .linear = true});
  if (op.function == add || is_extreme) made.exchange = Exchange{.op = op};
  // A part of a complex product adds two products, of which a device may round only the one that it does not
  // fuse with the sum, and which one that is depends on the order of the operands.
  if (op.function == multiply) made.exchange = Exchange{.op = op, .same_order = !ir::is_complex(in[0].dtype)};
}

}  // namespace plumb::parity::checks::relations

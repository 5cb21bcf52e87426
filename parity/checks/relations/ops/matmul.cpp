// Matrix products: the transpose is the product of the transposes in the other order.
#include "ir/ops/matmul.hpp"

#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::Matmul& op, ir::Types, ir::Types, Symmetries& made) {
  ir::ops::Matmul other = op;
  other.transpose_a = !op.transpose_b;
  other.transpose_b = !op.transpose_a;
  made.exchange = Exchange{.op = other, .transposes = true};
}

}  // namespace plumb::parity::checks::relations

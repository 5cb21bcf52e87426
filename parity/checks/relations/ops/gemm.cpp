// ONNX's Gemm: without c, the transpose is the product of the transposes in the other order.
#include "ir/ops/gemm.hpp"

#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::Gemm& op, ir::Types, ir::Types, Symmetries& made) {
  if (op.has_c) return;
  ir::ops::Gemm other = op;
  other.transpose_a = !op.transpose_b;
  other.transpose_b = !op.transpose_a;
  made.exchange = Exchange{.op = other, .transposes = true};
}

}  // namespace plumb::parity::checks::relations

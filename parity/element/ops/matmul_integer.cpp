// Σ_k (a − a_zero)(b − b_zero), modulo 2^32.
#include "ir/ops/matmul_integer.hpp"

#include "parity/element/codes.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::MatmulInteger& op, const Call& call) {
  CodeOperands of;
  if (op.has_a_zero) of.a_zero = 2;
  if (op.has_b_zero) of.b_zero = op.has_a_zero ? 3 : 2;
  return wrap(call.dtype_out(), product_of_codes(call, of));
}

}  // namespace plumb::parity::element

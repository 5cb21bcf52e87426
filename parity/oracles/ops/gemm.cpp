// alpha·Σ a·b + beta·c.
#include "ir/ops/gemm.hpp"

#include "parity/oracles/lines.hpp"

namespace plumb::parity::oracles {

Number element(const ir::ops::Gemm& op, const Call& call) {
  const std::int64_t m = call.at(0), n = call.at(1), terms = call.in(0)[op.transpose_a ? 0 : 1];
  Sum sum;
  for (std::int64_t k = 0; k < terms; ++k) {
    const Real a = op.transpose_a ? call.real(0, {k, m}) : call.real(0, {m, k});
    sum.add(a, op.transpose_b ? call.real(1, {n, k}) : call.real(1, {k, n}));
  }
  const Real product = Real(call.attribute(op.alpha)) * sum.total();
  return op.has_c ? product + Real(call.attribute(op.beta)) * call.stretched(2).re : product;
}

}  // namespace plumb::parity::oracles

// alpha·Σ a·b + beta·c.
// Optimised: it loops over elements or terms.
#include "ir/ops/gemm.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Gemm& op, const Call& call) {
  const std::int64_t m = call.at(0), n = call.at(1), terms = call.in(0)[op.transpose_a ? 0 : 1];
  Sum sum;
  const std::int64_t width_a = call.in(0)[1], width_b = call.in(1)[1];
  call.add_products(sum, 0, op.transpose_a ? Stretch{m, width_a} : Stretch{m * width_a, 1}, 1,
                    op.transpose_b ? Stretch{n * width_b, 1} : Stretch{n, width_b}, terms);
  const Real product = Real(call.attribute(op.alpha)) * sum.total();
  return op.has_c ? product + Real(call.attribute(op.beta)) * call.stretched(2).re : product;
}

}  // namespace plumb::parity::element

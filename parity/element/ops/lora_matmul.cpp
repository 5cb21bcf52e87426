// Σ_k x·w + scale·Σ_j (Σ_k x·a)·b.
// Optimised: it loops over elements or terms.
#include "ir/ops/lora_matmul.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::LoraMatmul& op, const Call& call) {
  const std::int64_t terms = call.in(1)[0], width = call.in(1)[1], rank = call.in(2)[1], n = call.at().back();
  Position row = call.at();
  row.back() = 0;
  const Stretch of_x{index_of(row, call.in(0)), 1};
  Sum sum;
  call.add_products(sum, 0, of_x, 1, {n, width}, terms);
  if (rank == 0) return sum.total();
  Sum correction;
  for (std::int64_t j = 0; j < rank; ++j) {
    Sum inner;
    call.add_products(inner, 0, of_x, 2, {j, rank}, terms);
    correction.add(inner.total() * call.real(3, {j, n}));
  }
  return sum.total() + Real(call.attribute(op.scale)) * correction.total();
}

}  // namespace plumb::parity::element

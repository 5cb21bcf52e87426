// Σ_k x[i, k]·w[expert[i], k, n] + bias[expert[i], n]; 0 for expert −1.
// Optimised: it loops over elements or terms.
#include "ir/ops/grouped_matmul.hpp"

#include "parity/element/experts.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::GroupedMatmul& op, const Call& call) {
  const std::int64_t row = call.at(0), n = call.at(1), terms = call.in(0)[1], width = call.out()[1];
  Sum sum;
  const auto expert = expert_of(call, 2, row, call.in(1)[0]);
  if (!expert) return sum.total();
  const std::int64_t matrix = *expert * terms * width;
  const Stretch of_w = op.transpose_w ? Stretch{matrix + n * terms, 1} : Stretch{matrix + n, width};
  call.add_products(sum, 0, {row * terms, 1}, 1, of_w, terms);
  if (op.has_bias) sum.add_behind(call.real(3, {*expert, n}));
  return sum.total();
}

}  // namespace plumb::parity::element

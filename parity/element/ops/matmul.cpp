// Σ_k a[.., m, k]·b[.., k, n].
// Optimised: it loops over elements or terms.
#include "ir/ops/matmul.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Matmul& op, const Call& call) {
  const std::size_t rank = call.at().size(), rank_a = call.in(0).size(), rank_b = call.in(1).size();
  const std::int64_t terms = call.in(0)[op.transpose_a ? rank_a - 2 : rank_a - 1];
  Position in_a = call.at(), in_b = call.at();
  if (op.transpose_a) in_a[rank - 1] = call.at(rank - 2);
  if (op.transpose_b) in_b[rank - 2] = call.at(rank - 1);
  const std::size_t summed_a = op.transpose_a ? rank - 2 : rank - 1, summed_b = op.transpose_b ? rank - 1 : rank - 2;
  in_a[summed_a] = 0;
  in_b[summed_b] = 0;
  const Stretch of_a{call.stretched_index(0, in_a), op.transpose_a ? call.in(0)[rank_a - 1] : 1};
  const Stretch of_b{call.stretched_index(1, in_b), op.transpose_b ? 1 : call.in(1)[rank_b - 1]};
  if (ir::is_float(call.dtype_in(0))) {  // nothing need be kept of what most products are made of
    Sum sum;
    call.add_products(sum, 0, of_a, 1, of_b, terms);
    return sum.total();
  }
  std::vector<std::pair<Number, Number>> pairs;
  for (std::int64_t k = 0; k < terms; ++k)
    pairs.emplace_back(call.number(0, of_a.first + k * of_a.step), call.number(1, of_b.first + k * of_b.step));
  return sum_of_products(call.dtype_in(0), pairs);
}

}  // namespace plumb::parity::element

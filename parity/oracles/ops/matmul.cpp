// Σ_k a[.., m, k]·b[.., k, n].
#include "ir/ops/matmul.hpp"

#include "parity/oracles/lines.hpp"

namespace plumb::parity::oracles {

Number element(const ir::ops::Matmul& op, const Call& call) {
  const std::size_t rank = call.at().size(), rank_a = call.in(0).size();
  const std::int64_t terms = call.in(0)[op.transpose_a ? rank_a - 2 : rank_a - 1];
  Position in_a = call.at(), in_b = call.at();
  if (op.transpose_a) in_a[rank - 1] = call.at(rank - 2);
  if (op.transpose_b) in_b[rank - 2] = call.at(rank - 1);
  const auto for_each_pair = [&](const auto& take) {
    for (std::int64_t k = 0; k < terms; ++k) {
      in_a[op.transpose_a ? rank - 2 : rank - 1] = k;
      in_b[op.transpose_b ? rank - 1 : rank - 2] = k;
      take(call.stretched(0, in_a), call.stretched(1, in_b));
    }
  };
  if (ir::is_float(call.dtype_in(0))) {  // nothing need be kept of what most products are made of
    Sum sum;
    for_each_pair([&](const Number& a, const Number& b) { sum.add(a.re, b.re); });
    return sum.total();
  }
  std::vector<std::pair<Number, Number>> pairs;
  for_each_pair([&](const Number& a, const Number& b) { pairs.emplace_back(a, b); });
  return sum_of_products(call.dtype_in(0), pairs);
}

}  // namespace plumb::parity::oracles

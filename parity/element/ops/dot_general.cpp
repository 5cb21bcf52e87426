// Σ_κ a[β, i, κ]·b[β, j, κ]: batches in the order of their list, then the free axes of a, then those of b.
#include "ir/ops/dot_general.hpp"

#include <algorithm>

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::DotGeneral& op, const Call& call) {
  const std::size_t batches = op.a_batch.size();
  Position in_a(call.in(0).size()), in_b(call.in(1).size());
  for (std::size_t k = 0; k < batches; ++k) {
    in_a[axis_of(op.a_batch[k], in_a.size())] = call.at(k);
    in_b[axis_of(op.b_batch[k], in_b.size())] = call.at(k);
  }
  std::size_t next = batches;
  const auto place_free = [&](Position& in, const auto& batch, const auto& contract) {
    const auto is_listed = [&](std::size_t axis, const auto& list) {
      return std::ranges::any_of(list, [&](std::int64_t k) { return axis_of(k, in.size()) == axis; });
    };
    for (std::size_t axis = 0; axis < in.size(); ++axis)
      if (!is_listed(axis, batch) && !is_listed(axis, contract)) in[axis] = call.at(next++);
  };
  place_free(in_a, op.a_batch, op.a_contract);
  place_free(in_b, op.b_batch, op.b_contract);
  std::vector<std::int64_t> extents;
  for (const std::int64_t axis : op.a_contract) extents.push_back(call.in(0)[axis_of(axis, in_a.size())]);
  std::vector<std::pair<Number, Number>> pairs;
  for_each(extents, [&](const Position& kappa) {
    for (std::size_t k = 0; k < kappa.size(); ++k) {
      in_a[axis_of(op.a_contract[k], in_a.size())] = kappa[k];
      in_b[axis_of(op.b_contract[k], in_b.size())] = kappa[k];
    }
    pairs.emplace_back(call.number(0, in_a), call.number(1, in_b));
  });
  return sum_of_products(call.dtype_in(0), pairs);
}

}  // namespace plumb::parity::element

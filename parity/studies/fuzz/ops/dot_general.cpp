// Axes in pairs: at most two of a batch, and one or two that are summed.
#include "ir/ops/dot_general.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::DotGeneral& op, Chooser& choose) {
  const std::size_t batch = choose.below(3), contract = 1 + choose.below(2);
  const std::size_t rank = batch + contract + choose.below(2);
  const Whole a = choose.permutation(rank), b = choose.permutation(batch + contract);
  const auto part = [](const Whole& axes, std::size_t from, std::size_t count) {
    const auto begin = axes.begin() + static_cast<std::ptrdiff_t>(from);
    return Whole(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  op.a_batch = part(a, 0, batch);
  op.b_batch = part(b, 0, batch);
  op.a_contract = part(a, batch, contract);
  op.b_contract = part(b, batch, contract);
}

}  // namespace plumb::parity::studies::fuzz

// Fewer groups kept than there are, and experts that these have.
#include "ir/ops/group_limited_gate.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::GroupLimitedGate& op, Chooser& choose) {
  op.num_groups = choose.number({1, 2, 4, 8});
  op.top_groups = 1 + static_cast<std::int64_t>(choose.below(static_cast<std::uint64_t>(op.num_groups)));
  op.top_k = choose.number({1, 2, 3, 8});
}

}  // namespace plumb::parity::studies::fuzz

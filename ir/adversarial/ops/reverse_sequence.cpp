// Lengths are at most the extent of time.
#include "ir/ops/reverse_sequence.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::ReverseSequence& op, Types in, std::size_t operand, Use& use) {
  if (operand != 1) return;
  use.role = Role::index;
  use.low = 0, use.high = in[0].shape[in[0].shape.axis(op.time_axis)] + 1;
}

}  // namespace plumb::ir::adversarial

// Causal convolution: the state is scaled as the samples are, and samples may come in pieces.
#include "ir/ops/causal_conv.hpp"

#include "parity/checks/relations/recurrence.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::CausalConv& op, ir::Types in, ir::Types, Symmetries& made) {
  made.tiled = false;  // a lane sums the taps of its samples
  if (op.has_state && !made.homogeneous.empty()) made.homogeneous[0].operands.push_back(op.state_operand());
  std::vector<ir::Axis> steps = {2, ir::Axis()};
  if (op.has_bias) steps.push_back({});
  made.steps = steps_of_scan(op, in, steps, 2);
}

}  // namespace plumb::parity::checks::relations

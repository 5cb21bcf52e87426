// Symmetries of causal convolution: batches, channels, samples in pieces, and linearity where nothing follows.
#include "ir/ops/causal_conv.hpp"

#include "parity/relations/recurrence.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::CausalConv& op, ir::Types in, ir::Types) {
  std::vector<Axis> batches = {Axis()}, channels = {0};
  Homogeneity of_samples{.operands = {0}, .linear = true}, of_taps{.operands = {1}, .linear = true};
  if (op.has_bias) {
    batches.push_back({}), channels.push_back(0);
    of_samples.operands.push_back(2), of_taps.operands.push_back(2);
  }
  if (op.has_state) {
    batches.push_back(0), channels.push_back(1);
    of_samples.operands.push_back(op.state_operand());
  }
  Symmetries made{.axes = {along(in, 0, batches), along(in, 1, channels)}};
  if (op.activation == ir::ops::CausalActivation::none) made.homogeneous = {of_samples, of_taps};
  std::vector<Axis> steps = {2, Axis()};
  if (op.has_bias) steps.push_back({});
  made.steps = steps_of_scan(op, in, steps, 2);
  return made;
}

}  // namespace plumb::parity::relations

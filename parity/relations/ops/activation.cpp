// Symmetries of activations: every axis may be permuted, and leaky ReLU scales with x.
#include "ir/ops/activation.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Activation& op, ir::Types in, ir::Types out) {
  Symmetries made{.axes = elementwise(in, out[0].shape)};
  if (op.function == ir::ops::ActivationFunction::leaky_relu) made.homogeneous = {{.operands = {0}}};
  return made;
}

}  // namespace plumb::parity::relations

// Symmetries of functions of one element: every axis; negation is linear, absolute value and ReLU scale.
#include "ir/ops/unary.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Unary& op, ir::Types in, ir::Types out) {
  using enum ir::ops::UnaryFunction;
  Symmetries made{.axes = elementwise(in, out[0].shape)};
  if (op.function == negate || op.function == abs || op.function == relu)
    made.homogeneous = {{.operands = {0}, .linear = op.function == negate}};
  return made;
}

}  // namespace plumb::parity::relations

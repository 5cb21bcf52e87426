// A line runs from its first axis to the last.
#include "ir/ops/rms_norm.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::RmsNorm& op, Types in, std::size_t operand, Use& use) {
  if (operand == 0) use.axes = axes_from(in[0].shape.axis(op.axis), in[0].shape.size());
}

}  // namespace plumb::ir::adversarial

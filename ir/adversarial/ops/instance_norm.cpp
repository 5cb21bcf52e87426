// A line runs over all positions of a channel.
#include "ir/ops/instance_norm.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::InstanceNorm&, Types in, std::size_t operand, Use& use) {
  if (operand == 0) use.axes = axes_from(2, in[0].shape.size());
}

}  // namespace plumb::ir::adversarial

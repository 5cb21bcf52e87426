// Symmetries of log-softmax: lines by themselves, and a line in any order.
#include "ir/ops/log_softmax.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::LogSoftmax& op, ir::Types in, ir::Types) {
  return {.axes = lines(in, op.axis, true)};
}

}  // namespace plumb::parity::relations

// Symmetries of complex transforms: lines by themselves.
#include "ir/ops/fft.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Fft& op, ir::Types in, ir::Types) { return {.axes = lines(in, op.axis, false)}; }

}  // namespace plumb::parity::relations

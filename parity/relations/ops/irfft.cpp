// Symmetries of half spectra: lines by themselves.
#include "ir/ops/irfft.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Irfft& op, ir::Types in, ir::Types) { return {.axes = lines(in, op.axis, false)}; }

}  // namespace plumb::parity::relations

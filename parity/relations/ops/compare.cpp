// Symmetries of comparisons: every axis of the broadcast operands.
#include "ir/ops/compare.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Compare&, ir::Types in, ir::Types out) {
  return {.axes = elementwise(in, out[0].shape)};
}

}  // namespace plumb::parity::relations

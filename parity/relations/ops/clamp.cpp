// Symmetries of clamps: every axis, limits alongside where they have it.
#include "ir/ops/clamp.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Clamp&, ir::Types in, ir::Types out) {
  return {.axes = elementwise(in, out[0].shape)};
}

}  // namespace plumb::parity::relations

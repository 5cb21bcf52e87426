// Symmetries of where: every axis of condition and values.
#include "ir/ops/where.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Where&, ir::Types in, ir::Types out) {
  return {.axes = elementwise(in, out[0].shape)};
}

}  // namespace plumb::parity::relations

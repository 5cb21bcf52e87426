// Symmetries of casts: every axis and nothing else, as rounding is not linear.
#include "ir/ops/cast.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Cast&, ir::Types in, ir::Types out) {
  return {.axes = elementwise(in, out[0].shape)};
}

}  // namespace plumb::parity::relations

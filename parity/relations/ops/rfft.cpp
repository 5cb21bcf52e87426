// Symmetries of transforms of real lines: lines by themselves, and what transforms keep.
#include "ir/ops/rfft.hpp"

#include "ir/ops/irfft.hpp"
#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::Rfft& op, ir::Types in, ir::Types out) {
  const ir::ops::Irfft inverse{.n = op.points(in), .axis = op.axis, .norm = op.norm};
  return {.axes = lines(in, op.axis, false),
          .transform = Transform{.points = op.points(in),
                                 .axis = in[0].shape.axis(op.axis),
                                 .scale = op.scale(in),
                                 .inverse = inverse,
                                 .inverse_scale = inverse.scale(out),
                                 .halves_y = true}};
}

}  // namespace plumb::parity::relations

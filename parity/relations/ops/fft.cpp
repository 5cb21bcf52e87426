// Symmetries of complex transforms: lines by themselves, and what transforms keep.
#include "ir/ops/fft.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::Fft& op, ir::Types in, ir::Types) {
  ir::ops::Fft inverse = op;
  inverse.inverse = !op.inverse;
  return {.axes = lines(in, op.axis, false),
          .transform = Transform{.points = op.points(in),
                                 .axis = in[0].shape.axis(op.axis),
                                 .scale = op.scale(in),
                                 .sign = op.inverse ? 1 : -1,
                                 .inverse = inverse,
                                 .inverse_scale = inverse.scale(in)}};
}

}  // namespace plumb::parity::relations

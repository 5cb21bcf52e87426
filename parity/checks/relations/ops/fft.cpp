// Complex transforms: what transforms keep.
#include "ir/ops/fft.hpp"

#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::Fft& op, ir::Types in, ir::Types, Symmetries& made) {
  ir::ops::Fft inverse = op;
  inverse.inverse = !op.inverse;
  made.transform = Transform{.points = op.points(in),
                             .axis = in[0].shape.axis(op.axis),
                             .scale = op.scale(in),
                             .sign = op.inverse ? 1 : -1,
                             .inverse = inverse,
                             .inverse_scale = inverse.scale(in)};
}

}  // namespace plumb::parity::checks::relations

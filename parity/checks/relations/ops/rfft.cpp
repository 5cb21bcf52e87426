// Transforms of real lines: what transforms keep.
#include "ir/ops/rfft.hpp"

#include "ir/ops/irfft.hpp"
#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::Rfft& op, ir::Types in, ir::Types out, Symmetries& made) {
  const ir::ops::Irfft inverse{.n = op.points(in), .axis = op.axis, .norm = op.norm};
  made.transform = Transform{.points = op.points(in),
                             .axis = in[0].shape.axis(op.axis),
                             .scale = op.scale(in),
                             .inverse = inverse,
                             .inverse_scale = inverse.scale(out),
                             .halves_y = true};
}

}  // namespace plumb::parity::checks::relations

// Half spectra: what transforms keep.
#include "ir/ops/irfft.hpp"

#include "ir/ops/rfft.hpp"
#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::Irfft& op, ir::Types in, ir::Types out, Symmetries& made) {
  const ir::ops::Rfft inverse{.axis = op.axis, .norm = op.norm};
  made.transform = Transform{.points = op.points(in),
                             .axis = in[0].shape.axis(op.axis),
                             .scale = op.scale(in),
                             .sign = 1,
                             .inverse = inverse,
                             .inverse_scale = inverse.scale(out),
                             .halves_x = true};
}

}  // namespace plumb::parity::checks::relations

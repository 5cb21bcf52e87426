// Affine grids are never exact: positions are divided by extents.
#include "ir/ops/affine_grid.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::AffineGrid&, ir::Types, ir::Types) { return rounds("positions are divided by extents"); }

}  // namespace plumb::parity::exact

// Sampling by a grid is never exact: positions and weights are rounded.
#include "ir/ops/grid_sample.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::GridSample&, ir::Types, ir::Types) { return rounds("positions and weights are rounded"); }

}  // namespace plumb::parity::exact

// Resizing by weights is never exact: the weights are rounded.
#include "ir/ops/resize.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::Resize&, ir::Types, ir::Types) { return rounds("weights are rounded"); }

}  // namespace plumb::parity::exact

// Layer norm is never exact: a root and a division are rounded.
#include "ir/ops/layer_norm.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::LayerNorm&, ir::Types, ir::Types) { return rounds("a root and a division are rounded"); }

}  // namespace plumb::parity::exact

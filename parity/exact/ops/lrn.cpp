// Local response normalisation is never exact: a power and a division are rounded.
#include "ir/ops/lrn.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::Lrn&, ir::Types, ir::Types) { return rounds("a power and a division are rounded"); }

}  // namespace plumb::parity::exact

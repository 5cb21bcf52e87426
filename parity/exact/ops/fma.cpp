// Exactness of fused multiply-add: a product and a term.
#include "ir/ops/fma.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::Fma&, ir::Types, ir::Types) { return adds({{.operands = {0, 1}}, {.operands = {2}}}); }

}  // namespace plumb::parity::exact

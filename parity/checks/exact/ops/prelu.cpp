// Exactness of PReLU: x, or x times its slope.
#include "ir/ops/prelu.hpp"

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::Prelu&, ir::Types, ir::Types) { return adds({{.operands = {0}}, {.operands = {0, 1}}}); }

}  // namespace plumb::parity::checks::exact

// Exactness of functions of one element: the square; the exact ones need no rule, all others round.
#include "ir/ops/unary.hpp"

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::Unary& op, ir::Types, ir::Types) {
  if (op.function == ir::ops::UnaryFunction::square) return adds({{.operands = {0, 0}}});
  return rounds(ir::cat(ir::enum_name(op.function), " is rounded"));
}

}  // namespace plumb::parity::checks::exact

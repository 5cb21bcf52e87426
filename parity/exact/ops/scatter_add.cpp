// Exactness of scatter-add: sums of updates.
#include "ir/ops/scatter_add.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::ScatterAdd& op, ir::Types in, ir::Types out) {
  return adds_up(op, {{.operands = {0}, .count = terms_of(op, in, out)}});
}

}  // namespace plumb::parity::exact

// Exactness of running sums; running products may outgrow any accumulator.
#include "ir/ops/cumulative.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::Cumulative& op, ir::Types in, ir::Types out) {
  if (op.function == ir::ops::CumulativeFunction::product) return rounds(partial_products);
  return adds_up(op, {{.operands = {0}, .count = terms_of(op, in, out)}});
}

}  // namespace plumb::parity::exact

// Exactness of overlap-add: a sum of samples.
#include "ir/ops/overlap_add.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::OverlapAdd& op, ir::Types in, ir::Types out) {
  return adds_up(op, {{.operands = {0}, .count = terms_of(op, in, out)}});
}

}  // namespace plumb::parity::exact

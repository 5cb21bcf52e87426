// Exactness of col2im: a sum of elements.
#include "ir/ops/col2im.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::Col2im& op, ir::Types in, ir::Types out) {
  return adds_up(op, {{.operands = {0}, .count = terms_of(op, in, out)}});
}

}  // namespace plumb::parity::exact

// Exactness of rotary embeddings: x times cosine and sine, as whole numbers in a twin.
#include "ir/ops/rope.hpp"

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::Rope&, ir::Types, ir::Types) {
  return adds({{.operands = {0}}, {.operands = {0, 1}}, {.operands = {0, 2}}});
}

}  // namespace plumb::parity::checks::exact

// Decays are exponentials, and by the delta rule products are made of products, step after step.
#include "ir/ops/gated_delta_net.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::GatedDeltaNet& op, ir::Types, ir::Types) {
  return rounds(op.has_decay ? "factors of states are exponentials" : partial_products);
}

}  // namespace plumb::parity::exact

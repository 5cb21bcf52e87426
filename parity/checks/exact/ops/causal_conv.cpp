// Exactness of causal convolution: sums of products of taps with chunk and state; silu rounds.
#include "ir/ops/causal_conv.hpp"

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::CausalConv& op, ir::Types in, ir::Types out) {
  if (op.activation == ir::ops::CausalActivation::silu) return rounds("silu is rounded");
  // Taps meet samples of the chunk or of the state, and are counted once for each.
  std::vector<Term> terms = {{.operands = {0, 1}, .count = terms_of(op, in, out)}};
  if (op.has_state) terms.push_back({.operands = {op.state_operand(), 1}, .count = terms_of(op, in, out)});
  if (op.has_bias) terms.push_back({.operands = {2}});
  return adds_up(op, terms);
}

}  // namespace plumb::parity::checks::exact

// Error model of the weights of experts whoever has them, of errors in total: a quotient by a sum, whose error grows as
// its terms cancel. What a kernel gives is held to the experts that it names (parity/judges).
#include "ir/ops/group_limited_gate.hpp"

#include <cmath>

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::GroupLimitedGate;

/// Numbers of all experts, of those that are chosen.
Real at_experts(const Node& node, GroupLimitedGate gate, Real of_all) {
  gate.normalize = false;
  gate.scale = 1;
  gate.has_routing = true;
  return node.builder.apply(gate, {of_all, node.in.back()}, 1);
}

Bound of_weights(const Node& node, const GroupLimitedGate& op) {
  const Real size = 2 * node.unit() * abs(node.y());  // at least an ulp
  if (!op.is_normalized()) return both(size);
  const Real cancels = sum(abs(node.y()), {-1}) / std::abs(op.scale);  // sizes of scores over the size of their sum
  return both(finite_or_zero(5 * size + static_cast<double>(op.top_k - 1) * (cancels * size)));
}

Real from_scores(const Node& node, const GroupLimitedGate& op, const Errors& errors) {
  if (!errors[0]) return filled(node.builder.constant(0.0), node.y().shape());
  const Real own = at_experts(node, op, *errors[0]);
  if (!op.is_normalized()) return std::abs(op.scale) * own;
  const Real total = abs(sum(at_experts(node, op, node.in[0]), {-1}));
  return finite_or_zero((std::abs(op.scale) * own + abs(node.y()) * sum(own, {-1})) / total);
}

}  // namespace

Model error_model(const GroupLimitedGate& op) {
  return {.rounding = [op](const Node& node) { return of_weights(node, op); },
          .carried = [op](const Node& node, const Errors& errors) { return from_scores(node, op, errors); }};
}

}  // namespace plumb::parity::bounds

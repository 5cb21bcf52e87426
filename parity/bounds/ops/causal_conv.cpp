// Error model of causal convolution: the sum of its taps, the bias one term more, and what silu makes of its error.
#include "ir/ops/causal_conv.hpp"

#include "ir/ops/unary.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::CausalActivation;
using ir::ops::CausalConv;

constexpr double steepest_silu = 1.1;  // its slope is 1.0998 at 2.3994
constexpr double ulps_of_silu = 6;

Bound rounding(const CausalConv& op, const Node& node) {
  CausalConv plain = op;
  plain.activation = CausalActivation::none;
  Terms terms = product_terms(node, node.in[1].shape().back() + (op.has_bias ? 1 : 0), plain, plain);
  if (op.activation == CausalActivation::none) return dot(node, terms);
  terms.sum = node.builder.apply(plain, node.in, 0);
  // An infinite sum is one of silu, too, or a NaN.
  const Bound of_sum = dot(node, terms);
  return Bound{finite_or_zero(steepest_silu * of_sum.probable), finite_or_zero(steepest_silu * of_sum.certain)} +
         both(2 * ulps_of_silu * node.unit() * abs(node.y()));
}

Real carried(const CausalConv& op, const Node& node, const Errors& errors) {
  CausalConv plain = op;
  plain.activation = CausalActivation::none;
  const Node of_sum{node.builder, plain, node.in, {}, node.output, node.in_types, node.out_types, node.arithmetic};
  const Real moved = through_products(of_sum, errors);
  return op.activation == CausalActivation::silu && node.output == 0 ? steepest_silu * moved : moved;
}

}  // namespace

Model error_model(const CausalConv& op) {
  Model model{
      .rounding =
          [op](const Node& node) { return node.output == 0 ? rounding(op, node) : both(0 * finite_or_zero(node.y())); },
      .carried = [op](const Node& node, const Errors& errors) { return carried(op, node, errors); },
      .others_are_moved = true};
  model.line = LineAxes{2};
  return model;
}

}  // namespace plumb::parity::bounds

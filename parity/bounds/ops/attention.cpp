// Error model of attention by rows: to first order in the errors of scores, else by how far values lie apart.
#include "ir/ops/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ir/ops/compare.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/where.hpp"
#include "parity/bounds/attention_scores.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/formulas.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::bounds {
namespace {

Real largest(Real x, std::int64_t axis) {
  return x.builder->apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, {axis}, true}, {x});
}

Real where(ir::ops::Comparison function, Real a, Real b, Real then, Real otherwise) {
  const Real holds = a.builder->apply(ir::ops::Compare{function}, {a, b});
  return a.builder->apply(ir::ops::Where{}, {holds, then, otherwise});
}

/// The parts of an attention that errors of its scores and sums depend on: P [.., Sq, Sk], v [.., Sk, Dv], y. A sink is
/// one more key, whose value is 0.
struct Parts {
  Real p, v, y;
  Real most = {};     ///< ΣPε² of each row, the mean square of the largest errors of its scores
  Real largest = {};  ///< ê, in units of u: the largest ε of a row among the keys that matter
  Real spread = {};   ///< ΣP(v - y)²
  Real squares = {};  ///< ΣPv²
  /// The divisor of v and y, where squares may leave the range of f64: 1 where none does. Nothing for narrower types.
  std::optional<Real> divisor = {};

  /// An error again as large as it is. One beyond half of the range is nearly that, which is anything, too: limits of
  /// f64 count twice, and stay in the range.
  Real restored(Real x) const {
    return divisor ? min(*divisor * x, x.builder->constant(0.499 * std::numeric_limits<double>::max())) : x;
  }
};

/// By what share of y each score moves it. A sink is the last key, and moves what the others give, since its weight is
/// taken from theirs: values of keys that are not allowed hide none.
Real influence_of(const Scores& scores, Real p, Real v) {
  const Real size = largest(abs(v), -1);
  const Real influence = p * reshaped(size, {size.shape()[0], size.shape()[1], 1, 1, size.shape()[3]});
  if (!scores.sinks()) return influence;
  std::vector<double> is_sink(static_cast<std::size_t>(size.shape()[3]), 0.0);
  is_sink.back() = 1;
  const Real of_sink = p.builder->constant(is_sink) * p;
  return influence + of_sink * sum(influence, {-1});
}

Parts parts_of(const Scores& scores, const Node& node, const Weights& weights, const ScoreErrors& errors) {
  constexpr double resolved = 0x1p-45;  // f64 has so much of a difference of sums
  Parts parts{.p = weights.p,
              .v = scores.with_value_of_sink(finite_or_zero(scores.keys(node.in[2]))),
              .y = scores.queries(finite_or_zero(node.y()))};
  ExpressionBuilder& builder = node.builder;
  const Real none = builder.constant(0);
  if (node.unit() <= 2 * ir::unit_roundoff(ir::DType::f64)) {
    parts.divisor = max(builder.constant(1), 0x1p-500 * largest(largest(abs(parts.v), -1), -2));
    parts.v = parts.v / *parts.divisor;
    parts.y = parts.y / *parts.divisor;
  }
  const Real influence = influence_of(scores, parts.p, parts.v);
  parts.most = sum(finite_or_zero(parts.p * square(errors.most)), {-1});
  parts.largest =
      largest(where(ir::ops::Comparison::greater, influence, formulas::share_that_matters * largest(influence, -1),
                    finite_or_zero(errors.most), none),
              -1);
  parts.squares = scores.product(parts.p, square(parts.v), false);
  parts.spread = max(parts.squares - square(parts.y), none) + resolved * parts.squares;
  return parts;
}

/// How often a running maximum may scale the sums of a row. A sink comes last, by itself.
double rescales(const Node& node, std::int64_t keys) {
  std::int64_t most = 0;
  for (const ir::Sum& sum : node.arithmetic.sums)
    if (sum.rescale > 0) most = std::max(most, (keys + sum.rescale - 1) / sum.rescale);
  return static_cast<double>(most);
}

/// To first order y moves by ΣP(v - y)·error of each score, and by the errors of the row sum and of the sum of values.
Bound first_order(const Scores& scores, const Node& node, const Parts& parts, const ScoreErrors& errors) {
  const bool has_sink = scores.sinks().has_value();
  const std::int64_t keys = scores.extents().Sk;
  const SumSpread of_row = spread_of(node.with_sum(ir::SumName::row_sum), keys, true);
  const SumSpread of_values = spread_of(node.with_sum(ir::SumName::values), keys, false);
  const double joined = has_sink ? 1 : 0, u = node.unit();  // the rounding of the row sum with the sink
  const double scaled = rescales(node, keys) + joined;
  const Real p2 = square(parts.p), v2 = square(parts.v), y2 = square(parts.y);
  const Real weights = finite_or_zero(p2 * errors.variance);
  const Real row = y2 * (of_row.of_squares * sum(p2, {-1}) + of_row.of_square);
  // The loss of units that cut sums off is added to the other errors rather than to their squares.
  Real one_sided = node.builder.constant(0);
  Real variance = y2 * (sum(weights, {-1}) + (of_values.of_square + 2 * scaled + joined));
  if (of_values.is_cut) {
    one_sided = node.lambda() * sqrt(of_values.of_square * y2 + of_values.of_squares * scores.product(p2, v2, false));
    variance = variance + scores.product(weights, v2, false);
  } else {
    variance = variance + scores.product(weights + of_values.of_squares * p2, v2, false);
  }
  if (errors.cut) one_sided = one_sided + sqrt(sum(finite_or_zero(parts.p * *errors.cut), {-1}) * parts.spread);
  variance = variance - (2 * parts.y) * scores.product(weights, parts.v, false);
  if (of_row.is_cut)
    one_sided = one_sided + node.lambda() * sqrt(row);
  else
    variance = variance + row;
  const Real fixed = (formulas::roundings_of_attention + of_row.of_size + of_values.of_size) * abs(parts.y);
  const Real chance = node.lambda() * sqrt(max(variance, node.builder.constant(0))) + one_sided + fixed;
  const Real certain = sqrt(parts.most * parts.spread) + (of_row.certain + 2 * scaled + joined) * abs(parts.y) +
                       of_values.certain * sqrt(parts.squares) + fixed;
  return {u * min(chance, certain), u * certain};
}

/// The error of the sum of values below the smallest normal (verdict.md V35): a rounding to the spacing there for every
/// product and every addition; where numbers may be flushed there, each of these and each weight. A kernel that divides
/// by the sum of the weights last divides this as well: that sum is 1 over the largest weight.
Bound below_normal(const Node& node, const Parts& parts, Real top, std::int64_t keys) {
  const double roundings = 2 * static_cast<double>(keys), off = node.spacing() / 2;
  const double probable = std::min(node.lambda() * std::sqrt(roundings), roundings) * off, flushed = node.flushed();
  const Real share = node.arithmetic.divides_last ? top : node.builder.constant(1);
  const Bound of_sums{(probable + roundings * flushed) * share, roundings * (off + flushed) * share};
  return flushed > 0 ? of_sums + both((flushed * share) * parts.restored(sum(abs(parts.v), {-2}))) : of_sums;
}

/// By rows (verdict.md V30): to first order where scores are known well enough; where they are not, but one key has
/// nearly all the weight however wrong they are, by what the others may have; else anything between the values.
Bound rounding(const ir::ops::Attention& op, const Node& node) {
  constexpr double saturated = 0x1p-20;
  const Scores scores(op, node);
  if (scores.extents().Sk == 0) return both(node.builder.constant(0));  // no row has a key
  const ScoreSteps steps = score_steps(op, scores, node);
  const Weights weights = weights_of(steps.all);
  const ScoreErrors errors = score_errors(op, scores, node, steps, weights);
  const Parts parts = parts_of(scores, node, weights, errors);
  ExpressionBuilder& builder = node.builder;
  const double u = node.unit();
  const Real wrong = u * parts.largest, top = largest(parts.p, -1), one = builder.constant(1);
  const Real others = max(one / top - one, builder.constant(0x1p-50)), share = exp(2 * wrong) * others;
  const Real by_others = 2 * exp(2 * wrong) * sqrt(2.1 * (min(others, one) * parts.spread)) +
                         (formulas::roundings_of_attention * u) * abs(parts.y);
  const Real anything = 2 * largest(abs(parts.v), -2);
  const Real unless_known =
      where(ir::ops::Comparison::less_equal, share, builder.constant(saturated), by_others, anything);
  const Bound known = formulas::all_orders(wrong) * first_order(scores, node, parts, errors);
  const auto by_row = [&](Real usual, Real of_subnormals) {
    const Real error =
        where(ir::ops::Comparison::less_equal, wrong, builder.constant(formulas::well_known), usual, unless_known);
    return scores.result(parts.restored(error) + of_subnormals);
  };
  const Bound lost = below_normal(node, parts, top, scores.extents().Sk);
  return {by_row(known.probable, lost.probable), by_row(known.certain, lost.certain)};
}

/// The error of y from errors e of the scores: ΣP|v|(e + ΣPe).
Real through_scores(const Scores& scores, Real p, Real v, Real e) {
  const Real weighted = finite_or_zero(p * e);
  return scores.product(weighted, v, false) + scores.product(p, v, false) * sum(weighted, {-1});
}

/// Errors of q and k become those of scores, on which a softcap lets through no more; those of v are weighed.
Real carried(const ir::ops::Attention& op, const Node& node, const Errors& errors) {
  const Scores scores(op, node);
  const Real p = weights_of(score_steps(op, scores, node).all).p;
  const Real q = abs(scores.queries(node.in[0])), k = abs(scores.keys(node.in[1]));
  const Real larger_q = errors[0] ? q + scores.queries(*errors[0]) : q;
  const Real larger_k = errors[1] ? k + scores.keys(*errors[1]) : k;
  Real of_scores = scores.scale() * (scores.product(larger_q, larger_k, true) - scores.product(q, k, true));
  if (op.has_bias && errors[op.bias_at()]) of_scores = of_scores + scores.by_score(*errors[op.bias_at()]);
  of_scores = scores.with_sink(of_scores, op.has_sinks ? errors[op.sinks_at()] : std::nullopt);
  const Real v = scores.with_value_of_sink(finite_or_zero(abs(scores.keys(node.in[2]))));
  Real error = through_scores(scores, p, v, of_scores);
  if (errors[2]) error = error + scores.product(p, scores.with_value_of_sink(scores.keys(*errors[2])), false);
  return scores.result(error);
}

}  // namespace

Model error_model(const ir::ops::Attention& op) {
  return {.rounding = [op](const Node& node) { return rounding(op, node); },
          .carried = [op](const Node& node, const Errors& errors) { return carried(op, node, errors); }};
}

}  // namespace plumb::parity::bounds

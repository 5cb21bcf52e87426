// The scores of attention and their errors as formulas: softcap, bias, masks and windows as the op has them.
#include "parity/bounds/attention_scores.hpp"

#include <limits>
#include <numeric>

#include "ir/ops/cast.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/transpose.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/bounds/formulas.hpp"

namespace plumb::parity::bounds {
namespace {

/// x, or `most` where it is larger or unknown.
Real at_most(Real x, double most) {
  const Real limit = x.builder->constant(most);
  const Real holds = x.builder->apply(ir::ops::Compare{ir::ops::Comparison::less_equal}, {x, limit});
  return x.builder->apply(ir::ops::Where{}, {holds, x, limit});
}

/// The slope of a softcap at a score, where it is steepest within the score's error.
Real slope_of_softcap(const ir::ops::Attention& op, Real scaled, Real error) {
  const Real nearest = max(abs(scaled) - error, scaled.builder->constant(0)) / op.softcap;
  return formulas::slope_of_softcap(nearest);
}

/// The length of each row [.., 1], whose squares may be beyond the range of f64 where it is not.
Real length_of(Real x) {
  const Real top = x.builder->apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, {-1}, true}, {abs(x)});
  return top * sqrt(sum(square(finite_or_zero(x / top)), {-1}));
}

/// A number for each key [.., Sk, 1], as [.., 1, Sk].
Real by_column(Real x) {
  ir::Shape shape = x.shape();
  std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
  return reshaped(x, shape);
}

}  // namespace

Real Scores::product(Real a, Real b, bool transpose_b) const {
  return node_.builder.apply(ir::ops::Matmul{.transpose_b = transpose_b, .output_dtype = {}}, {a, b});
}

Real Scores::heads_first(Real x) const {
  if (op_.layout == ir::ops::AttentionLayout::bhsd) return x;
  return x.builder->apply(ir::ops::Transpose{{0, 2, 1, 3}}, {x});
}

void Scores::forbid(Real& scores, Real allowed) const {
  const Real none = node_.builder.constant(-std::numeric_limits<double>::infinity());
  scores = node_.builder.apply(ir::ops::Where{}, {allowed, scores, none});
}

Real Scores::positions(std::int64_t extent, ir::Shape shape) const {
  std::vector<double> numbers(static_cast<std::size_t>(extent));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return reshaped(node_.builder.constant(numbers), shape);
}

Real Scores::competing(Real dots) const {
  using F = ir::ops::Comparison;
  ExpressionBuilder& builder = node_.builder;
  Real scores = signed_scale() * dots;
  if (op_.softcap > 0) scores = op_.softcap * tanh(scores / op_.softcap);
  if (op_.has_bias) scores = scores + bias();
  const auto compare = [&](F function, Real a, Real b) { return builder.apply(ir::ops::Compare{function}, {a, b}); };
  const Real i = positions(n_.Sq, {n_.Sq, 1}), j = positions(n_.Sk, {1, n_.Sk});
  const auto whole = static_cast<double>(n_.Sk);
  Real lengths = builder.constant(whole);
  if (op_.has_kv_lengths) {
    const Real given = builder.apply(ir::ops::Cast{ir::DType::f64}, {node_.in[op_.lengths_at()]});
    lengths = reshaped(min(max(given, builder.constant(0)), lengths), {n_.B, 1, 1, 1, 1});
    forbid(scores, compare(F::less, j, lengths));
  }
  const Real at =
      op_.query_offset ? i + static_cast<double>(*op_.query_offset) : i + (lengths - static_cast<double>(n_.Sq));
  if (op_.causal) forbid(scores, compare(F::less_equal, j, at));
  if (op_.left_window_size >= 0)
    forbid(scores, compare(F::less_equal, at - static_cast<double>(op_.left_window_size), j));
  if (op_.right_window_size >= 0)
    forbid(scores, compare(F::less_equal, j, at + static_cast<double>(op_.right_window_size)));
  if (op_.has_mask) forbid(scores, by_score(node_.in[3]));
  return scores;
}

Real Scores::with_sink(Real x, std::optional<Real> of_sink) const {
  if (!op_.has_sinks) return x;
  const std::int64_t group = n_.Hq / n_.Hk;
  const Real sinks = of_sink ? reshaped(filled(*of_sink, {n_.Hq}), {1, n_.Hk, group, 1, 1}) : node_.builder.constant(0);
  return node_.builder.apply(ir::ops::Concat{-1}, {x, filled(sinks, {n_.B, n_.Hk, group, n_.Sq, 1})});
}

Real Scores::with_value_of_sink(Real v) const {
  if (!op_.has_sinks) return v;
  const Real none = filled(node_.builder.constant(0), {n_.B, n_.Hk, 1, 1, n_.Dv});
  return node_.builder.apply(ir::ops::Concat{-2}, {v, none});
}

ScoreSteps score_steps(const ir::ops::Attention& op, const Scores& scores, const Node& node) {
  ScoreSteps steps;
  steps.dots = scores.product(scores.queries(node.in[0]), scores.keys(node.in[1]), true);
  steps.scaled = steps.capped = scores.scale() * steps.dots;
  if (op.softcap > 0) steps.capped = op.softcap * tanh(steps.scaled / op.softcap);
  steps.competing = scores.competing(steps.dots);
  steps.all = scores.with_sink(steps.competing, scores.sinks());
  return steps;
}

Weights weights_of(Real competing) {
  ExpressionBuilder& builder = *competing.builder;
  const Real top = builder.apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, {-1}, true}, {competing});
  return {finite_or_zero(builder.apply(ir::ops::Softmax{-1}, {competing})), finite_or_zero(top - competing)};
}

ScoreErrors score_errors(const ir::ops::Attention& op, const Scores& scores, const Node& node, const ScoreSteps& steps,
                         const Weights& weights) {
  const Node part = node.with_sum(ir::SumName::scores);
  const SumSpread spread = spread_of(part, scores.extents().D, has_exact_products(node));
  const Real q = finite_or_zero(scores.queries(node.in[0])), k = finite_or_zero(scores.keys(node.in[1]));
  const double scale = scores.scale(), of_exp = formulas::error_of(ir::ops::UnaryFunction::exp);
  Real of_dots = (spread.of_square * scale * scale) * square(steps.dots) +
                 (spread.of_squares * scale * scale) * scores.product(square(q), square(k), true);
  // Σ|q||k| is at most the product of both lengths.
  Real most = ((scale * spread.certain) * length_of(q)) * by_column(length_of(k));
  Real fixed = square(steps.scaled);
  if (op.softcap > 0) {
    // Scores lie between -c and c, whatever they are made of: products of queries and keys may be beyond the range.
    const double whole = 2 * op.softcap / node.unit();
    const Real slope = at_most(slope_of_softcap(op, steps.scaled, node.unit() * (most + 2 * abs(steps.scaled))), 1);
    of_dots = at_most(square(slope) * of_dots, whole * whole);
    fixed = at_most(square(slope) * fixed, whole * whole) +
            formulas::square(formulas::error_of_softcap) * square(steps.capped);
    most = at_most(slope * (most + abs(steps.scaled)), whole) + formulas::error_of_softcap * abs(steps.capped);
  } else {
    most = most + abs(steps.scaled);
  }
  if (op.has_bias) {
    fixed = fixed + square(scores.bias()) + square(steps.competing);
    most = most + abs(scores.bias()) + abs(steps.competing);
  }
  of_dots = scores.with_sink(of_dots);  // a sink is exact: only its exponential is rounded
  fixed = scores.with_sink(fixed) + square(weights.depth) + of_exp * of_exp;
  most = scores.with_sink(most) + weights.depth + of_exp;
  if (!spread.is_cut) return {of_dots + fixed, most};
  return {fixed, most, (node.lambda() * node.lambda()) * of_dots};
}

}  // namespace plumb::parity::bounds

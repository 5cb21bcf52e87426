#include "ir/ops/attention.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "ir/ops/cast.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/transpose.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// The values of an attention again, heads in front: of q [B, Hk, g, Sq, D], g the queries that
/// share keys, and of k and v [B, Hk, 1, Sk, D].
class Scores {
 public:
  Scores(const ir::ops::Attention& op, const Node& node)
      : op_(op), node_(node), n_(op.extents(node.in[0].shape(), node.in[1].shape(), node.in[2].shape())) {}

  Real queries(Real q) const { return reshaped(heads_first(q), {n_.B, n_.Hk, n_.Hq / n_.Hk, n_.Sq, q.shape()[3]}); }
  Real keys(Real k) const { return reshaped(heads_first(k), {n_.B, n_.Hk, 1, n_.Sk, k.shape()[3]}); }
  /// Takes [B, Hk, g, Sq, Dv] back to the layout of y.
  Real result(Real x) const { return heads_first(reshaped(x, {n_.B, n_.Hq, n_.Sq, n_.Dv})); }
  /// Something that broadcasts to [B, Hq, Sq, Sk], as [B, Hk, g, Sq, Sk].
  Real by_score(Real x) const {
    return reshaped(filled(x, {n_.B, n_.Hq, n_.Sq, n_.Sk}), {n_.B, n_.Hk, n_.Hq / n_.Hk, n_.Sq, n_.Sk});
  }
  Real product(Real a, Real b, bool transpose_b) const {
    return node_.builder.apply(ir::ops::Matmul{.transpose_b = transpose_b, .output_dtype = {}}, {a, b});
  }
  double scale() const { return std::abs(op_.scale.value_or(1 / std::sqrt(static_cast<double>(n_.D)))); }
  const ir::ops::Attention::Extents& extents() const { return n_; }

  Real bias() const { return by_score(node_.in[op_.has_mask ? 4 : 3]); }
  /// The scores that compete [B, Hk, g, Sq, Sk], -inf of keys that are not allowed. `dots` are q·k.
  Real competing(Real dots) const;

 private:
  /// From the op's layout to [B, H, S, D] or, being its own inverse, back.
  Real heads_first(Real x) const {
    if (op_.layout == ir::ops::AttentionLayout::bhsd) return x;
    return x.builder->apply(ir::ops::Transpose{{0, 2, 1, 3}}, {x});
  }
  Real positions(std::int64_t extent, ir::Shape shape) const;
  Real compare(ir::ops::Comparison function, Real a, Real b) const {
    return node_.builder.apply(ir::ops::Compare{function}, {a, b});
  }
  void forbid(Real& scores, Real allowed) const {
    const Real none = node_.builder.constant(-std::numeric_limits<double>::infinity());
    scores = node_.builder.apply(ir::ops::Where{}, {allowed, scores, none});
  }

  const ir::ops::Attention& op_;
  const Node& node_;
  ir::ops::Attention::Extents n_;
};

Real Scores::positions(std::int64_t extent, ir::Shape shape) const {
  std::vector<double> numbers(static_cast<std::size_t>(extent));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return reshaped(node_.builder.constant(numbers), shape);
}

Real Scores::competing(Real dots) const {
  using F = ir::ops::Comparison;
  ExpressionBuilder& builder = node_.builder;
  Real scores = op_.scale.value_or(1 / std::sqrt(static_cast<double>(n_.D))) * dots;
  if (op_.softcap > 0)
    scores = op_.softcap * builder.apply(ir::ops::Unary{ir::ops::UnaryFunction::tanh}, {scores / op_.softcap});
  if (op_.has_bias) scores = scores + bias();
  const Real i = positions(n_.Sq, {n_.Sq, 1}), j = positions(n_.Sk, {1, n_.Sk});
  const auto whole = static_cast<double>(n_.Sk);
  Real lengths = builder.constant(whole);
  if (op_.has_kv_lengths) {
    const Real given = builder.apply(ir::ops::Cast{ir::DType::f64}, {node_.in.back()});
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

/// What a softcap c makes of an error of s: the change of c·tanh(s / c), and that function's own 4 ulp.
Real capped_error(const ir::ops::Attention& op, const Node& node, Real s, Real e) {
  const auto cap = [&](Real x) {
    return op.softcap * node.builder.apply(ir::ops::Unary{ir::ops::UnaryFunction::tanh}, {x / op.softcap});
  };
  const Real y = cap(s);
  return max(abs(cap(s + e) - y), abs(cap(s - e) - y)) + 10 * node.unit() * abs(y);
}

/// The error of the scores: scale·B(q·k) + 12u |s| (ops.md D.6), what a softcap leaves of it, and the
/// rounding of a bias' sum.
Bound score_errors(const ir::ops::Attention& op, const Scores& scores, const Node& node, Real dots) {
  const Real q = scores.queries(node.in[0]), k = scores.keys(node.in[1]);
  const Bound of_dot = dot(node, {.count = scores.extents().D,
                                  .sum = dots,
                                  .magnitude = scores.product(abs(q), abs(k), true),
                                  .squares = scores.product(square(q), square(k), true),
                                  .exact = has_exact_products(node)});
  Bound error = scores.scale() * (of_dot + both(12 * node.unit() * abs(dots)));
  if (op.softcap > 0) {
    const Real s = scores.scale() * dots;
    error = {capped_error(op, node, s, error.probable), capped_error(op, node, s, error.certain)};
  }
  return op.has_bias ? error + both(2 * node.unit() * abs(scores.bias())) : error;
}

/// What errors of the competing scores, and of their exponentials, are in y: Σ P |v| (e_ij + Σ P e).
class Weighing {
 public:
  Weighing(const Scores& scores, const Node& node)
      : scores_(scores),
        dots(scores.product(scores.queries(node.in[0]), scores.keys(node.in[1]), true)),
        competing(scores.competing(dots)),
        p(finite_or_zero(node.builder.apply(ir::ops::Softmax{-1}, {competing}))),
        v(finite_or_zero(abs(scores.keys(node.in[2])))) {}

  Real through(Real e, Real more_of_sum) const {
    const Real weighted = finite_or_zero(p * e);
    const Real total = sum(weighted, {-1}) + more_of_sum;
    return scores_.product(weighted, v, false) + scores_.product(p, v, false) * total;
  }

 private:
  const Scores& scores_;

 public:
  const Real dots, competing, p, v;
};

/// What the sum of values is off below the smallest normal (verdict.md V35): a rounding to the spacing there for every
/// product and every addition; where such numbers may be flushed, each of these and each weight. A kernel that divides
/// by the sum of the weights last divides this as well: that sum is 1 over the largest weight.
Bound below_normal(const Scores& scores, const Weighing& weighing, const Node& node) {
  const double roundings = 2 * static_cast<double>(scores.extents().Sk), off = node.spacing() / 2;
  const double probable = std::min(node.lambda() * std::sqrt(roundings), roundings) * off, flushed = node.flushed();
  Real share = node.builder.constant(1);
  if (node.arithmetic.divides_last)
    share = node.builder.apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, {-1}, true}, {weighing.p});
  const Bound of_sums{(probable + roundings * flushed) * share, roundings * (off + flushed) * share};
  return flushed > 0 ? of_sums + both((flushed * share) * sum(weighing.v, {-2})) : of_sums;
}

Bound rounding(const ir::ops::Attention& op, const Node& node) {
  const double u = node.unit();
  const Scores scores(op, node);
  const Weighing weighing(scores, node);
  const Real p = weighing.p, v = weighing.v;
  const Real top = node.builder.apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, {-1}, true}, {weighing.competing});
  const Bound of_term = score_errors(op, scores, node, weighing.dots) + both(u * (abs(weighing.competing - top) + 8.0));
  const std::int64_t keys = scores.extents().Sk;
  const Bound of_sum = positive_sum_error(node, keys);
  const Bound of_products = dot(node, {.count = keys,
                                       .sum = scores.queries(node.y()),
                                       .magnitude = scores.product(p, v, false),
                                       .squares = scores.product(square(p), square(v), false)});
  const Bound error =
      Bound{weighing.through(of_term.probable, of_sum.probable), weighing.through(of_term.certain, of_sum.certain)} +
      of_products + below_normal(scores, weighing, node);
  return {scores.result(error.probable), scores.result(error.certain)};
}

/// Errors of q and k become those of scores, on which a softcap lets through no more; those of v are weighed.
Real carried(const ir::ops::Attention& op, const Node& node, const Errors& errors) {
  const Scores scores(op, node);
  const Weighing weighing(scores, node);
  const Real q = abs(scores.queries(node.in[0])), k = abs(scores.keys(node.in[1]));
  const Real larger_q = errors[0] ? q + scores.queries(*errors[0]) : q;
  const Real larger_k = errors[1] ? k + scores.keys(*errors[1]) : k;
  Real of_scores = scores.scale() * (scores.product(larger_q, larger_k, true) - scores.product(q, k, true));
  const std::size_t bias = op.has_mask ? 4 : 3;
  if (op.has_bias && errors[bias]) of_scores = of_scores + scores.by_score(*errors[bias]);
  Real error = weighing.through(of_scores, node.builder.constant(0));
  if (errors[2]) error = error + scores.product(weighing.p, scores.keys(*errors[2]), false);
  return scores.result(error);
}

}  // namespace

Model error_model(const ir::ops::Attention& op) {
  return {.rounding = [op](const Node& node) { return rounding(op, node); },
          .carried = [op](const Node& node, const Errors& errors) { return carried(op, node, errors); }};
}

}  // namespace plumb::parity::bounds

#pragma once

#include <cmath>
#include <optional>

#include "ir/ops/attention.hpp"
#include "parity/bounds/error_model.hpp"

/// The scores of an attention, their softmax and what both may be off, as formulas (verdict.md V29).
namespace plumb::parity::bounds {

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
  Real product(Real a, Real b, bool transpose_b) const;
  double scale() const { return std::abs(signed_scale()); }
  const ir::ops::Attention::Extents& extents() const { return n_; }

  Real bias() const { return by_score(node_.in[op_.bias_at()]); }
  /// The scores that compete [B, Hk, g, Sq, Sk], -inf of keys that are not allowed. `dots` are q·k.
  Real competing(Real dots) const;
  /// A number for each score [.., Sq, Sk] with one behind them for the sink, which is a key whose value is 0: that of
  /// `of_sink`, [Hq], or 0. As it is where there are no sinks.
  Real with_sink(Real x, std::optional<Real> of_sink = {}) const;
  /// Values [.., Sk, Dv] with that of the sink behind them.
  Real with_value_of_sink(Real v) const;
  std::optional<Real> sinks() const { return op_.has_sinks ? std::optional(node_.in[op_.sinks_at()]) : std::nullopt; }

 private:
  /// From the op's layout to [B, H, S, D] or, being its own inverse, back.
  Real heads_first(Real x) const;
  double signed_scale() const { return op_.scale.value_or(1 / std::sqrt(static_cast<double>(n_.D))); }
  Real positions(std::int64_t extent, ir::Shape shape) const;
  void forbid(Real& scores, Real allowed) const;

  const ir::ops::Attention op_;
  const Node& node_;
  ir::ops::Attention::Extents n_;
};

/// The scores on their way: products of queries and keys, scaled, with the softcap on, with bias and mask, and those of
/// the keys with the sink. Scaled and capped ones have the sign that a positive scale gives them.
struct ScoreSteps {
  Real dots, scaled, capped, competing, all;
};
ScoreSteps score_steps(const ir::ops::Attention& op, const Scores& scores, const Node& node);

/// The softmax of competing scores, 0 throughout in rows without any.
struct Weights {
  Real p;
  Real depth;  ///< how far below the largest of its row a score is; 0 where it is infinite
};
Weights weights_of(Real competing);

/// Errors of the exponentials of scores, relative to each, in units of the roundoff u of what is computed in.
struct ScoreErrors {
  Real variance;                 ///< τ², of roundings that are independent
  Real most;                     ///< ε
  std::optional<Real> cut = {};  ///< the square of λτ for units that cut sums off, whose errors may have one sign
};
ScoreErrors score_errors(const ir::ops::Attention& op, const Scores& scores, const Node& node, const ScoreSteps& steps,
                         const Weights& weights);

}  // namespace plumb::parity::bounds

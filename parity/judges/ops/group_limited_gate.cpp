// Experts are choices: those of some set of groups that roundings of the groups' scores admit, in their own order,
// which is exact. Weights are those of the experts that the candidate names (verdict.md V70).
#include "ir/ops/group_limited_gate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parity/core/float_format.hpp"
#include "parity/judges/conditioning.hpp"
#include "parity/judges/kept_sets.hpp"
#include "parity/judges/limits.hpp"
#include "parity/judges/units.hpp"
#include "parity/sums/double_double.hpp"

namespace plumb::parity::judges {
namespace {

using ir::ops::GroupLimitedGate;
using Experts = std::vector<std::size_t>;
using Reals = std::span<const double>;

/// Places from 0 on by size, the largest first and NaN before it; of equals the first.
Experts by_size(Reals values) {
  Experts order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const bool a_is_nan = std::isnan(values[a]), b_is_nan = std::isnan(values[b]);
    return a_is_nan != b_is_nan ? a_is_nan : values[a] > values[b];
  });
  return order;
}

/// The sum of two numbers in what a candidate computes in, and how far that may be off.
struct RoundedSum {
  double value = 0, limit = 0;
  bool is_in_range = true;
};

RoundedSum rounded_sum(double a, double b, ir::DType computed, bool flushes) {
  const core::FloatFormat format = core::float_format(computed);
  RoundedSum sum{.value = a + b};
  if (!std::isfinite(sum.value)) return sum;
  const bool is_exact = computed == ir::DType::f64 ? sums::exact_sum(a, b).low == 0 : format.has(sum.value);
  if (!is_exact) sum.limit = ir::unit_roundoff(computed) * std::abs(sum.value) * (computed == ir::DType::f64 ? 2 : 1);
  if (flushes && std::abs(sum.value) < format.smallest_normal()) sum.limit = std::abs(sum.value);
  sum.is_in_range = std::abs(sum.value) < format.overflow();
  return sum;
}

/// The choice of one token.
class TokenChoice {
 public:
  TokenChoice(const GroupLimitedGate& op, Reals routing, ir::DType dtype, bool flushes)
      : op_(op), routing_(routing), size_(routing.size() / static_cast<std::size_t>(op.num_groups)) {
    const ir::DType computed = core::compute_dtype(dtype);
    const double smallest = core::float_format(computed).smallest_normal();
    for (const double r : routing) is_known_ &= !(flushes && r != 0 && std::abs(r) < smallest);
    for (std::size_t g = 0; g < static_cast<std::size_t>(op.num_groups); ++g) {
      const Reals group = routing.subspan(g * size_, size_);
      const Experts order = by_size(group);
      RoundedSum score{.value = group[order[0]]};
      if (op.group_score == ir::ops::GroupScore::top2_sum)
        score = rounded_sum(group[order[0]], group[order[1]], computed, flushes);
      scores_.push_back(score.value);
      limits_.push_back(score.limit);
      is_known_ &= score.is_in_range;
    }
    order_ = by_size(scores_);
    sets_ = kept_sets({scores_, limits_, order_}, kept());
  }

  /// Whether a candidate sees the numbers that the truth does: none that it may take for 0, nor a sum that is infinite
  /// to it alone.
  bool is_known() const { return is_known_; }
  /// The sets of groups that may be kept, the truth's own first; nothing where they are too many.
  const std::optional<std::vector<KeptSet>>& sets() const { return sets_; }

  /// The experts of a set of groups, in order.
  Experts experts_of(const KeptSet& set) const {
    const auto is_in = [](const Experts& groups, std::size_t g) { return std::ranges::count(groups, g) > 0; };
    Experts groups = set.with, experts;
    for (std::size_t rank = 0; rank < kept(); ++rank)
      if (!is_in(set.without, order_[rank])) groups.push_back(order_[rank]);
    std::ranges::sort(groups);
    std::vector<double> values;
    for (const std::size_t g : groups)
      for (std::size_t e = g * size_; e < (g + 1) * size_; ++e) {
        experts.push_back(e);
        values.push_back(routing_[e]);
      }
    Experts chosen;
    for (const std::size_t place : by_size(values)) chosen.push_back(experts[place]);
    chosen.resize(static_cast<std::size_t>(op_.top_k));
    return chosen;
  }

  /// How the groups of a set came to be kept.
  Deciding deciding(const KeptSet& set) const {
    Deciding by{.step = infinite};
    double worst = -1;
    for (const std::size_t in : set.with)
      for (const std::size_t out : set.without) {
        const double margin = scores_[out] - scores_[in], limit = limits_[out] + limits_[in];
        if (margin / limit <= worst) continue;
        worst = margin / limit;
        by.margin = margin;
        by.limit = limit;
      }
    if (kept() == order_.size()) return by;
    const std::size_t last = order_[kept() - 1], next = order_[kept()];
    if (set.with.empty()) by.limit = limits_[last] + limits_[next];
    by.step = by.limit > 0 && scores_[last] > scores_[next] ? scores_[last] - scores_[next] : infinite;
    return by;
  }

 private:
  std::size_t kept() const { return static_cast<std::size_t>(op_.top_groups); }

  const GroupLimitedGate& op_;
  const Reals routing_;
  const std::size_t size_;
  std::vector<double> scores_, limits_;  ///< by group
  Experts order_;                        ///< groups by score
  std::optional<std::vector<KeptSet>> sets_;
  bool is_known_ = true;
};

/// The judgement of the experts of all tokens, as it grows.
struct JudgedExperts {
  OutputJudgement output{.kind = cases::UnitKind::choice};
  DecisionReader reader = {};
  std::vector<double> truth = {};
};

/// Reads the experts of one token, `got`; the truth's are `own`.
void judge_token(const TokenChoice& choice, Reals got, Reals own, JudgedExperts& judged) {
  const std::size_t first = judged.truth.size();
  std::vector<bool> is_open(got.size(), false);
  std::optional<KeptSet> explained;
  if (choice.sets())
    for (const KeptSet& set : *choice.sets()) {
      const Experts experts = choice.experts_of(set);
      const auto is_same = [&](std::size_t i) { return got[i] == static_cast<double>(experts[i]); };
      bool is_all = true;
      for (std::size_t i = 0; i < got.size(); ++i) {
        is_all &= is_same(i);
        if (static_cast<double>(experts[i]) != own[i]) is_open[i] = true;
      }
      if (is_all && !explained) explained = set;
    }
  Deciding by = choice.deciding(explained.value_or(KeptSet{}));
  if (!explained) by.margin = infinite;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double ratio = judged.reader.read("expert", first + i, got[i], own[i], by);
    judged.output.ratio.push_back(ratio);
    judged.output.standing.push_back(!choice.is_known() ? Standing::wild
                                     : !choice.sets()   ? Standing::flagged
                                     : is_open[i]       ? Standing::loose
                                                        : Standing::informative);
    judged.truth.push_back(ratio <= 1 ? got[i] : own[i]);
  }
}

/// The weights of one token at these experts, and how far each may be off.
class TokenWeights {
 public:
  TokenWeights(const GroupLimitedGate& op, const Question& question, Reals scores, const Experts& experts)
      : op_(op),
        question_(question),
        format_(core::float_format(core::compute_dtype(question.out_type(1).dtype))),
        scale_(question.in_type(0).dtype == ir::DType::f64 ? op.scale : static_cast<float>(op.scale)) {
    for (const std::size_t e : experts) {
      sum_ += scores[e];
      sizes_ += std::abs(scores[e]);
    }
    sum_ += 1e-20;
    sizes_ += 1e-20;
  }

  double weight(double score) const { return (op_.is_normalized() ? score / sum_ : score) * scale_; }

  /// Unnormalised weights are rounded once. Others are those of a quotient by a sum, whose error grows as its terms
  /// cancel: k + 4 ulp where none do.
  double limit(double score) const {
    const double y = weight(score), u = question_.unit(1);
    const bool is_zero = op_.is_normalized() && !std::isfinite(sizes_);  // a part of an infinite sum, exactly
    if (!std::isfinite(y) || is_zero) return 0;
    const double ulp =
        format_.ulp(y) * std::ldexp(u, format_.fraction_bits + 1);  // twice that of the truth's own dtype
    const double vanishing = question_.manner.flushes_subnormals ? format_.smallest_normal() : 0;
    if (!op_.is_normalized()) return ulp + std::abs(scale_) * vanishing;
    const auto k = static_cast<double>(op_.top_k);
    const double of_scores = vanishing * (1 + k * std::abs(score / sum_)) / std::abs(sum_);
    return (5 + (k - 1) * sizes_ / std::abs(sum_)) * ulp + std::abs(scale_) * (question_.floor(1) + of_scores);
  }

  /// Whether the sum may leave the range, or most of it may be what was rounded.
  bool is_lost() const {
    if (!op_.is_normalized() || !std::isfinite(sizes_)) return false;
    const double error = static_cast<double>(op_.top_k) * question_.unit(1) * sizes_;
    return sizes_ >= format_.overflow() || 4 * error >= std::abs(sum_);
  }

 private:
  const GroupLimitedGate& op_;
  const Question& question_;
  const core::FloatFormat format_;
  const double scale_;
  double sum_ = 0, sizes_ = 0;
};

OutputJudgement judge_weights(const GroupLimitedGate& op, const Question& question, Reals got, Reals own) {
  const std::size_t experts = static_cast<std::size_t>(question.in[0].shape()[1]),
                    k = static_cast<std::size_t>(op.top_k);
  const Reals scores = question.in[0].as<double>();
  Limited weights(question.truth.outputs[1].shape());
  std::vector<bool> apart(got.size(), false);
  for (std::size_t token = 0; token < got.size() / k; ++token) {
    const Reals of_token = scores.subspan(token * experts, experts);
    Experts named;
    for (std::size_t i = token * k; i < (token + 1) * k; ++i) {
      const bool is_expert = got[i] >= 0 && got[i] < static_cast<double>(experts);
      named.push_back(static_cast<std::size_t>(is_expert ? got[i] : own[i]));
    }
    const TokenWeights by(op, question, of_token, named);
    for (std::size_t i = 0; i < k; ++i) {
      const double score = of_token[named[i]];
      weights.truth.as<double>()[token * k + i] = by.weight(score);
      weights.probable.as<double>()[token * k + i] = weights.certain.as<double>()[token * k + i] = by.limit(score);
      apart[token * k + i] = by.is_lost();
    }
  }
  OutputJudgement judged = elements_within(question, 1, std::move(weights));
  if (std::ranges::count(apart, true) == 0) return judged;
  auto limits = std::make_shared<compare::Limits>(*judged.allowed.limits);
  limits->apart = std::move(apart);
  judged.allowed.limits = std::move(limits);
  return judged;
}

}  // namespace

std::optional<Judge> judge_of(const GroupLimitedGate& op) {
  return Judge([op](const Question& question) -> Judgement {
    const ir::Tensor got = ir::convert(question.got[0], ir::DType::f64);
    const ir::Tensor own = ir::convert(question.truth.outputs[0], ir::DType::f64);
    const Reals routing = question.in[op.has_routing ? 1 : 0].as<double>();
    const auto experts = static_cast<std::size_t>(question.in[0].shape()[1]), k = static_cast<std::size_t>(op.top_k);
    JudgedExperts judged;
    for (std::size_t token = 0; token < got.as<double>().size() / k; ++token) {
      const TokenChoice choice(op, routing.subspan(token * experts, experts), question.in_type(0).dtype,
                               question.manner.flushes_subnormals);
      judge_token(choice, got.as<double>().subspan(token * k, k), own.as<double>().subspan(token * k, k), judged);
    }
    ir::Tensor truth({ir::DType::f64, got.shape()});
    std::ranges::copy(judged.truth, truth.as<double>().begin());
    judged.output.truth = ir::convert(truth, question.truth.outputs[0].dtype());
    judged.output.decisions = judged.reader.take();
    silence_zeros(judged.output);
    return {{std::move(judged.output), judge_weights(op, question, got.as<double>(), own.as<double>())}};
  });
}

}  // namespace plumb::parity::judges

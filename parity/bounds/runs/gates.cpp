// Which experts a gate may take, and which tokens may be drawn, where operands may be off by so much.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ir/ops/group_limited_gate.hpp"
#include "ir/ops/sample.hpp"
#include "ir/raw/philox.hpp"
#include "parity/bounds/runs/choices.hpp"
#include "parity/bounds/runs/indices.hpp"

namespace plumb::parity::bounds::runs {
namespace {

using ir::ops::GroupLimitedGate;
using ir::ops::Sample;

/// The least and the most that the numbers of a row may be.
struct Between {
  std::vector<double> low, high;

  std::size_t size() const { return low.size(); }
  bool is_known() const {
    const auto is_nan = [](double x) { return std::isnan(x); };
    return std::ranges::none_of(low, is_nan) && std::ranges::none_of(high, is_nan);
  }
};

Between row_of(const std::pair<ir::Tensor, ir::Tensor>& ends, std::size_t row, std::size_t width) {
  const auto low = ends.first.as<double>().subspan(row * width, width);
  const auto high = ends.second.as<double>().subspan(row * width, width);
  return {{low.begin(), low.end()}, {high.begin(), high.end()}};
}

std::vector<double> descending(std::vector<double> numbers) {
  std::ranges::sort(numbers, std::greater<>());
  return numbers;
}

/// How many of these numbers, the largest first, are at least x.
std::size_t count_from(const std::vector<double>& numbers, double x) {
  return static_cast<std::size_t>(std::ranges::upper_bound(numbers, x, std::greater<>()) - numbers.begin());
}
/// How many are above x.
std::size_t count_above(const std::vector<double>& numbers, double x) {
  return static_cast<std::size_t>(std::ranges::lower_bound(numbers, x, std::greater<>()) - numbers.begin());
}

/// Which of some numbers are among the `count` largest: whatever they are, or for some of what they may be.
struct Membership {
  std::vector<bool> certain, possible;
};

Membership among_largest(const Between& x, std::size_t count) {
  Membership found;
  const std::vector<double> low = descending(x.low), high = descending(x.high);
  for (std::size_t i = 0; i < x.size(); ++i) {
    found.certain.push_back(count_from(high, x.low[i]) <= count);  // itself among them
    found.possible.push_back(count_above(low, x.high[i]) < count);
  }
  return found;
}

// ---- gates

/// The choice of experts of one token.
class ExpertsOfToken {
 public:
  ExpertsOfToken(const GroupLimitedGate& op, const Between& routing, double unit) : routing_(routing) {
    const std::size_t groups = static_cast<std::size_t>(op.num_groups), size = routing.size() / groups;
    Between scores;
    const auto score = [&](const std::vector<double>& of, std::size_t g, double sign) {
      const auto first = of.begin() + static_cast<std::ptrdiff_t>(g * size);
      const auto best = descending({first, first + static_cast<std::ptrdiff_t>(size)});
      if (op.group_score != ir::ops::GroupScore::top2_sum) return best[0];
      const double sum = best[0] + best[1];
      return std::isfinite(sum) ? sum + sign * unit * std::abs(sum) : sum;
    };
    for (std::size_t g = 0; g < groups; ++g) {
      scores.low.push_back(score(routing.low, g, -1));
      scores.high.push_back(score(routing.high, g, 1));
    }
    const Membership kept = among_largest(scores, static_cast<std::size_t>(op.top_groups));
    std::vector<double> low, high;
    for (std::size_t e = 0; e < routing.size(); ++e) {
      if (kept.certain[e / size]) low.push_back(routing.low[e]);
      if (!kept.possible[e / size]) continue;
      high.push_back(routing.high[e]);
      possible_.push_back(static_cast<std::int64_t>(e));
    }
    is_open_ = kept.certain != kept.possible;
    low_ = descending(std::move(low));
    high_ = descending(std::move(high));
  }

  /// Those that may be the k-th; none where the choice is clear.
  std::vector<std::int64_t> candidates(std::size_t k) const {
    const double least = k < low_.size() ? low_[k] : -std::numeric_limits<double>::infinity(), most = high_[k];
    std::vector<std::int64_t> found;
    bool is_open = is_open_ || least != most;
    for (const std::int64_t expert : possible_) {
      const auto e = static_cast<std::size_t>(expert);
      if (routing_.high[e] < least || routing_.low[e] > most) continue;
      found.push_back(expert);
      is_open |= routing_.low[e] != routing_.high[e];
    }
    // Equal numbers of which none is off are told apart by the rule of the op.
    return is_open && found.size() > 1 ? found : std::vector<std::int64_t>{};
  }

 private:
  const Between& routing_;
  std::vector<std::int64_t> possible_;  ///< experts of groups that may be kept
  std::vector<double> low_, high_;      ///< in groups that are kept for certain, and that may be; the largest first
  bool is_open_ = false;                ///< other groups may be kept
};

/// The least and the most of a/b.
std::pair<double, double> quotients(std::pair<double, double> a, std::pair<double, double> b) {
  constexpr double most = std::numeric_limits<double>::max();
  if (!(b.first > 0) && !(b.second < 0)) return {-most, most};
  const auto [low, high] =
      std::minmax({a.first / b.first, a.first / b.second, a.second / b.first, a.second / b.second});
  return {low, high};
}

/// Weights that hang on the experts of their token, which may be any of these.
class WeightsOfTokens {
 public:
  WeightsOfTokens(const GroupLimitedGate& op, const Wavering& scores, const ir::Tensor& truth)
      : op_(op), ends_(scores.ends()), low_(truth), high_(truth) {}

  void add(std::size_t token, const std::vector<std::vector<std::int64_t>>& experts,
           std::span<const std::int64_t> own) {
    const auto width = static_cast<std::size_t>(ends_.first.shape()[1]), k = experts.size();
    const Between scores = row_of(ends_, token, width);
    std::vector<std::pair<double, double>> of_slots;
    std::pair<double, double> sum{1e-20, 1e-20};
    for (std::size_t i = 0; i < k; ++i) {
      const auto first = static_cast<std::size_t>(own[i]);
      auto& slot = of_slots.emplace_back(scores.low[first], scores.high[first]);
      for (const std::int64_t e : experts[i]) {
        slot.first = std::min(slot.first, scores.low[static_cast<std::size_t>(e)]);
        slot.second = std::max(slot.second, scores.high[static_cast<std::size_t>(e)]);
      }
      sum = {sum.first + slot.first, sum.second + slot.second};
    }
    const bool is_any = std::ranges::any_of(experts, [](const auto& some) { return !some.empty(); });
    for (std::size_t i = 0; i < k; ++i) {
      if (op_.is_normalized() ? !is_any : experts[i].empty()) continue;
      const auto share = op_.is_normalized() ? quotients(of_slots[i], sum) : of_slots[i];
      const auto [low, high] = std::minmax({op_.scale * share.first, op_.scale * share.second});
      low_.as<double>()[token * k + i] = std::min(low_.as<double>()[token * k + i], low);
      high_.as<double>()[token * k + i] = std::max(high_.as<double>()[token * k + i], high);
    }
  }

  Choice choice() && {
    std::vector<bool> open = differs(low_, high_);
    if (std::ranges::find(open, true) == open.end()) return {};
    Choice made;
    made.extremes = std::pair{low_, high_};
    made.admissible = Admissible{.values = {std::move(low_), std::move(high_)},
                                 .is_range = true,
                                 .open = std::move(open),
                                 .roundings = static_cast<double>(op_.top_k) + 5};
    return made;
  }

 private:
  const GroupLimitedGate& op_;
  const std::pair<ir::Tensor, ir::Tensor> ends_;
  ir::Tensor low_, high_;
};

std::vector<Choice> experts_of(const GroupLimitedGate& op, std::span<const Wavering> operands,
                               std::span<const ir::Tensor> truths, double unit) {
  const auto ends = operands[op.has_routing ? 1 : 0].ends();
  const auto width = static_cast<std::size_t>(ends.first.shape()[1]), k = static_cast<std::size_t>(op.top_k);
  const ir::Tensor own = ir::convert(truths[0], ir::DType::i64);
  Indices indices(truths[0]);
  WeightsOfTokens weights(op, operands[0], truths[1]);
  for (std::size_t token = 0; token < static_cast<std::size_t>(ends.first.shape()[0]); ++token) {
    const Between routing = row_of(ends, token, width);
    if (!routing.is_known()) continue;
    const ExpertsOfToken choice(op, routing, unit);
    std::vector<std::vector<std::int64_t>> experts;
    for (std::size_t i = 0; i < k; ++i) {
      experts.push_back(choice.candidates(i));
      indices.set(token * k + i, experts.back());
    }
    weights.add(token, experts, own.as<std::int64_t>().subspan(token * k, k));
  }
  return {indices.choice(), std::move(weights).choice()};
}

// ---- draws

/// The tokens of one row, and what their weights may be.
class TokensOfRow {
 public:
  TokensOfRow(const Sample& op, ir::DType dtype, const Between& logits, double unit) : op_(op), dtype_(dtype) {
    const double temperature = Sample::real(dtype, op.temperature);
    for (std::size_t j = 0; j < logits.size(); ++j) {
      const auto z = [&](double logit, double sign) {
        const double quotient = logit / temperature;
        return std::isfinite(quotient) ? quotient + sign * 2 * unit * std::abs(quotient) : quotient;
      };
      z_.low.push_back(z(logits.low[j], -1));
      z_.high.push_back(z(logits.high[j], 1));
    }
    const double least_top = *std::ranges::max_element(z_.low), top = *std::ranges::max_element(z_.high);
    is_known_ = std::isfinite(least_top) && std::isfinite(top);
    const auto weight = [&](double below, double sign) {
      const double off = 2 * unit * (16 + std::abs(below));
      return below == -std::numeric_limits<double>::infinity()
                 ? 0
                 : std::floor(0x1p30 * std::exp(below) * (1 + sign * off));
    };
    for (std::size_t j = 0; j < logits.size(); ++j) {
      weights_.low.push_back(std::max(0.0, weight(z_.low[j] - top, -1)));
      weights_.high.push_back(weight(std::min(0.0, z_.high[j] - least_top), 1));
    }
    if (is_known_) cut();
  }

  bool is_known() const { return is_known_; }

  /// The tokens that these 64 random bits, over 2^64, may draw.
  std::vector<std::int64_t> drawn_by(double share) const {
    constexpr double slack = 1e-12;
    const auto sum = [](const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); };
    double before = 0, up_to = 0, behind = sum(weights_.low), from = sum(weights_.high);
    std::vector<std::int64_t> found;
    for (std::size_t t = 0; t < weights_.size(); ++t) {
      up_to += weights_.high[t];
      behind -= weights_.low[t];
      const bool begins = before <= (share + slack) * (before + from);
      const bool ends = (share - slack) * (up_to + std::max(behind, 0.0)) < up_to;
      if (weights_.high[t] > 0 && begins && ends) found.push_back(static_cast<std::int64_t>(t));
      before += weights_.low[t];
      from = std::max(0.0, from - weights_.high[t]);
    }
    return found;
  }

 private:
  /// Leaves a weight of 0 to tokens that may be left out, and none to those that are.
  void keep(const Membership& kept) {
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      if (!kept.certain[j]) weights_.low[j] = 0;
      if (!kept.possible[j]) weights_.high[j] = 0;
    }
  }

  void cut() {
    const std::size_t count = weights_.size();
    if (op_.top_k > 0 && op_.top_k < static_cast<std::int64_t>(count))
      keep(among_largest(z_, static_cast<std::size_t>(op_.top_k)));
    const double least = op_.least_weight(dtype_), share = op_.kept_share(dtype_) * 0x1p-24;
    for (std::size_t j = 0; j < count; ++j) {
      if (weights_.low[j] < least) weights_.low[j] = 0;
      if (weights_.high[j] < least) weights_.high[j] = 0;
    }
    if (share < 1) cut_to_share(share);
  }

  /// A token is kept as long as those that rank before it have less than their share.
  void cut_to_share(double share) {
    constexpr double slack = 0x1p-40;  // for sums in f64
    const double least = std::accumulate(weights_.low.begin(), weights_.low.end(), 0.0);
    const double most = std::accumulate(weights_.high.begin(), weights_.high.end(), 0.0);
    const Ranking by_high(z_.high, weights_.high), by_low(z_.low, weights_.low);
    Membership kept;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      const double at_most = by_high.weight_from(z_.low[j]) - weights_.high[j],
                   at_least = by_low.weight_above(z_.high[j]);
      kept.certain.push_back(at_most < (share - slack) * least - 1);
      kept.possible.push_back(at_least < (share + slack) * most + 1);
    }
    keep(kept);
  }

  /// Sums of weights of the largest numbers.
  class Ranking {
   public:
    Ranking(const std::vector<double>& z, const std::vector<double>& weights) : z_(descending(z)), sums_{0} {
      std::vector<std::size_t> order(z.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::sort(order, std::greater<>(), [&](std::size_t j) { return z[j]; });
      for (const std::size_t j : order) sums_.push_back(sums_.back() + weights[j]);
    }
    double weight_from(double x) const { return sums_[count_from(z_, x)]; }
    double weight_above(double x) const { return sums_[count_above(z_, x)]; }

   private:
    std::vector<double> z_, sums_;
  };

  const Sample& op_;
  const ir::DType dtype_;
  Between z_, weights_;
  bool is_known_ = true;
};

/// Those that may be the largest logit.
std::vector<std::int64_t> largest_logits(const Between& logits) {
  const Membership kept = among_largest(logits, 1);
  std::vector<std::int64_t> found;
  bool is_off = false;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    if (!kept.possible[j]) continue;
    found.push_back(static_cast<std::int64_t>(j));
    is_off |= logits.low[j] != logits.high[j];
  }
  return is_off && found.size() > 1 ? found : std::vector<std::int64_t>{};
}

Choice tokens_of(const Sample& op, std::span<const Wavering> operands, const ir::Tensor& truth, double unit) {
  const auto ends = operands[0].ends();
  const auto width = static_cast<std::size_t>(ends.first.shape().back());
  const std::uint32_t offset = op.has_offset ? operands[1].truth.as<std::uint32_t>()[0] : 0;
  const ir::DType dtype = unit < 0x1p-24 ? ir::DType::f64 : ir::DType::f32;
  Indices indices(truth);
  for (std::size_t row = 0; row < static_cast<std::size_t>(truth.elements()); ++row) {
    const Between logits = row_of(ends, row, width);
    if (!logits.is_known()) continue;
    if (Sample::real(dtype, op.temperature) == 0) {
      indices.set(row, largest_logits(logits));
      continue;
    }
    const TokensOfRow tokens(op, dtype, logits, unit);
    if (!tokens.is_known()) continue;
    const auto words =
        ir::raw::philox_block(static_cast<std::uint64_t>(op.seed), static_cast<std::uint32_t>(op.stream), offset, row);
    std::vector<std::int64_t> drawn =
        tokens.drawn_by((static_cast<double>(words[0]) + static_cast<double>(words[1]) * 0x1p-32) * 0x1p-32);
    if (drawn.size() > 1) indices.set(row, std::move(drawn));
  }
  return indices.choice();
}

}  // namespace

bool gates(const ir::Op& op) { return op.is<GroupLimitedGate>() || op.is<Sample>(); }

std::vector<Choice> gates_of(const ir::Op& op, std::span<const Wavering> operands, std::span<const ir::Tensor> truths,
                             double unit) {
  if (op.is<Sample>()) return {tokens_of(op.as<Sample>(), operands, truths[0], unit)};
  return experts_of(op.as<GroupLimitedGate>(), operands, truths, unit);
}

}  // namespace plumb::parity::bounds::runs

// Which experts a gate may take, where operands may be off by so much.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "ir/ops/group_limited_gate.hpp"
#include "ir/ops/sample.hpp"
#include "parity/bounds/runs/choices.hpp"
#include "parity/bounds/runs/indices.hpp"
#include "parity/bounds/runs/rows.hpp"

namespace plumb::parity::bounds::runs {
namespace {

using ir::ops::GroupLimitedGate;

/// Which groups are among the `count` best. Of equals the first is: groups of one score that is not off are no choice.
Membership best_groups(const Between& x, std::size_t count) {
  const auto is_before = [&](std::size_t a, std::size_t b) {  // whatever their scores are
    return x.low[a] > x.high[b] || (a < b && x.low[a] == x.high[b]);
  };
  Membership found;
  for (std::size_t g = 0; g < x.size(); ++g) {
    std::size_t before = 0, behind = 0;
    for (std::size_t other = 0; other < x.size(); ++other) {
      before += is_before(other, g);
      behind += is_before(g, other);
    }
    found.certain.push_back(x.size() - behind <= count);  // itself among those that may be
    found.possible.push_back(before < count);
  }
  return found;
}

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
    const auto count = static_cast<std::size_t>(op.top_groups);
    const Membership kept = best_groups(scores, count);
    std::vector<double> high;
    for (std::size_t e = 0; e < routing.size(); ++e) {
      if (!kept.possible[e / size]) continue;
      high.push_back(routing.high[e]);
      possible_.push_back(static_cast<std::int64_t>(e));
    }
    is_open_ = kept.certain != kept.possible;
    high_ = descending(std::move(high));
    fill_low(kept, count, size);
  }

  /// Those that may be the k-th; none where the choice is clear.
  std::vector<std::int64_t> candidates(std::size_t k) const {
    return candidates_among(routing_, possible_, low_[k], high_[k], is_open_);
  }

 private:
  static constexpr std::size_t most_ways = 256;

  /// Goes through the ways to fill places that certain groups leave open. Where they are many, the best of each open
  /// group alone are all that is counted on, which every way has at least one of.
  void fill_low(const Membership& kept, std::size_t count, std::size_t size) {
    std::vector<std::size_t> certain, open;
    for (std::size_t g = 0; g < kept.certain.size(); ++g) {
      if (kept.certain[g])
        certain.push_back(g);
      else if (kept.possible[g])
        open.push_back(g);
    }
    std::size_t places = count - certain.size();
    low_.assign(count * size, std::numeric_limits<double>::infinity());
    if (!(ways(open.size(), places) <= most_ways)) places = 1;
    std::vector<char> is_taken(open.size(), 0);
    std::fill_n(is_taken.begin(), places, char{1});
    do {
      std::vector<std::size_t> groups = certain;
      for (std::size_t i = 0; i < open.size(); ++i)
        if (is_taken[i] != 0) groups.push_back(open[i]);
      lower_to(groups, size);
    } while (std::ranges::prev_permutation(is_taken).found);
  }

  /// How many ways there are to take `places` of so many.
  static double ways(std::size_t of, std::size_t places) {
    double found = 1;
    for (std::size_t i = 0; i < places; ++i) found *= static_cast<double>(of - i) / static_cast<double>(i + 1);
    return found;
  }

  /// Has the k-th expert be no larger than it may be if at least these groups are kept.
  void lower_to(std::span<const std::size_t> groups, std::size_t size) {
    std::vector<double> low;
    for (const std::size_t g : groups) {
      const auto first = routing_.low.begin() + static_cast<std::ptrdiff_t>(g * size);
      low.insert(low.end(), first, first + static_cast<std::ptrdiff_t>(size));
    }
    low = descending(std::move(low));
    low.resize(low_.size(), -std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < low.size(); ++k) low_[k] = std::min(low_[k], low[k]);
  }

  const Between& routing_;
  std::vector<std::int64_t> possible_;  ///< experts of groups that may be kept
  std::vector<double> low_, high_;      ///< limits of the k-th expert, in any set of groups and in all; largest first
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

}  // namespace

bool gates(const ir::Op& op) { return op.is<GroupLimitedGate>() || op.is<ir::ops::Sample>(); }

std::vector<Choice> gates_of(const ir::Op& op, std::span<const Wavering> operands, std::span<const ir::Tensor> truths,
                             double unit) {
  if (op.is<ir::ops::Sample>()) return {tokens_of(op, operands, truths[0], unit)};
  return experts_of(op.as<GroupLimitedGate>(), operands, truths, unit);
}

}  // namespace plumb::parity::bounds::runs

// Weights are whole numbers between two, which follow from how far z and exp may be off. Sets of tokens that are kept
// are tried one by one; under each of them, what may be drawn is an interval.
#include "parity/judges/draws.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parity/judges/judgement.hpp"
#include "parity/judges/kept_sets.hpp"

namespace plumb::parity::judges {
namespace {

__extension__ typedef unsigned __int128 Wide;

using Tokens = std::vector<std::size_t>;
using TokenSets = std::vector<Tokens>;

constexpr double exp_units = 8;  // exp is within 4 ulp, which are 8 roundoffs
constexpr double whole_weight = 0x1p30;

/// A part of a sum of weights, ⌊total·share/2^24⌋, and at least 1.
std::uint64_t wanted_of(std::uint64_t total, std::uint64_t share) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(Wide{total} * share >> 24));
}

/// Sums of weights in front of a token and behind it, and its own.
struct Split {
  std::uint64_t before = 0, own = 0, behind = 0;
  std::uint64_t total() const { return before + own + behind; }
};

/// Where a share of 2^64 lies to a share of weights.
bool is_below(std::uint64_t random, std::uint64_t part, std::uint64_t total) {
  return Wide{random} * total < Wide{part} << 64;
}

double over(std::uint64_t part, std::uint64_t total) {
  return total == 0 ? 0 : static_cast<double>(static_cast<long double>(part) / static_cast<long double>(total));
}

class TokenRow {
 public:
  TokenRow(std::span<const double> logits, const Drawing& how) : logits_(logits), how_(how) {
    divide();
    weigh();
    order_.resize(logits.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (how.top_k == 0 && how.share == std::uint64_t{1} << 24) return;  // no ranking is cut
    std::ranges::sort(order_, [&](std::size_t a, std::size_t b) { return z_[a] != z_[b] ? z_[a] > z_[b] : a < b; });
  }

  bool is_wild() const { return is_wild_; }

  /// The sets of tokens that may be kept, the truth's own first; nothing where they are too many.
  std::optional<TokenSets> sets() const {
    std::optional<TokenSets> sets = TokenSets{order_};
    if (how_.top_k > 0) sets = each(*sets, [&](const Tokens& all) { return cut_at(all, how_.top_k); });
    if (sets && how_.least > 0) sets = each(*sets, [&](const Tokens& all) { return without_light(all); });
    if (sets && how_.share < std::uint64_t{1} << 24)
      sets = each(*sets, [&](const Tokens& all) { return of_share(all); });
    return sets;
  }

  /// The draw of a token from a set. Inadmissible ones have a margin above the limit.
  Draw draw(const Tokens& set, std::uint64_t random, std::size_t token) const {
    Split low, high, truth;
    bool is_in = false;
    for (const std::size_t j : set) {
      is_in |= j == token;
      const auto place = j < token ? &Split::before : j == token ? &Split::own : &Split::behind;
      low.*place += low_[j];
      high.*place += high_[j];
      truth.*place += truth_[j];
    }
    // The least and the most that the share in front of a token may be, and that up to it.
    const std::uint64_t own = high.own, least_total = low.before + own + high.behind, most = high.before + own,
                        most_total = most + low.behind;
    const bool is_admissible =
        is_in && own > 0 && !is_below(random, low.before, least_total) && is_below(random, most, most_total);
    const double rho = std::ldexp(static_cast<double>(random), -64);
    const double from = over(truth.before, truth.total()), to = over(truth.before + truth.own, truth.total());
    const double reach_below = from - over(low.before, least_total), reach_above = over(most, most_total) - to;
    Draw made{
        .by = {.margin = std::max({0.0, from - rho, rho - to}), .limit = 0, .step = std::max(to - from, 0x1p-64)}};
    made.by.limit = rho < from ? reach_below : rho > to ? reach_above : std::max(reach_below, reach_above);
    made.by.limit = std::max(made.by.limit, 0.0);
    if (is_admissible) made.by.margin = std::min(made.by.margin, made.by.limit);
    if (!is_admissible && made.by.margin <= made.by.limit) made.by.margin = infinite;
    made.is_open = is_below(random, high.before, high.before + low.own + low.behind) ||
                   !is_below(random, low.before + low.own, low.before + low.own + high.behind);
    return made;
  }

 private:
  /// Joins what becomes of each set; nothing where that is more than can be tried.
  template <class Divide>
  static std::optional<TokenSets> each(const TokenSets& sets, const Divide& divided) {
    TokenSets all;
    for (const Tokens& one : sets) {
      std::optional<TokenSets> made = divided(one);
      if (!made || all.size() + made->size() > most_sets) return std::nullopt;
      std::ranges::move(*made, std::back_inserter(all));
    }
    return all;
  }

  void divide() {
    int exponent = 0;
    const bool is_power = std::frexp(how_.temperature, &exponent) == 0.5;
    const bool is_flushed = how_.floor == how_.smallest;
    for (const double logit : logits_) {
      const double z = logit / how_.temperature, size = std::abs(z);
      double off = is_power || std::isinf(z) ? 0 : 2 * how_.unit * size;
      if (z != 0 && size < how_.smallest) off += how_.floor;
      if (is_flushed && logit != 0 && std::abs(logit) < how_.smallest) off = std::max(off, size);
      z_.push_back(z);
      off_.push_back(off);
      is_wild_ |= std::isfinite(logit) && z >= how_.overflow;
    }
  }

  void weigh() {
    const std::size_t best = static_cast<std::size_t>(std::ranges::max_element(z_) - z_.begin());
    const double top = z_[best], off_top = off_[best];
    bool is_certain = true;  // that no other logit is a candidate's largest
    for (std::size_t j = 0; j < z_.size(); ++j)
      if (logits_[j] != logits_[best] && std::isfinite(top) && top - z_[j] <= off_top + off_[j]) is_certain = false;
    const double most = whole_weight * std::exp(exp_units * how_.unit);
    for (std::size_t j = 0; j < z_.size(); ++j) {
      const bool is_top = logits_[j] == logits_[best];
      const double below = is_top ? 0 : z_[j] - top,
                   weight = std::isinf(top) && !is_top ? 0 : whole_weight * std::exp(below);
      double off = off_[j] + off_top - how_.unit * below + exp_units * how_.unit;
      if (weight == 0 || (is_top && (is_certain || std::isinf(top)))) off = 0;
      truth_.push_back(static_cast<std::uint64_t>(weight));
      low_.push_back(static_cast<std::uint64_t>(weight * std::exp(-off)));
      high_.push_back(static_cast<std::uint64_t>(std::min(weight * std::exp(std::min(off, 100.0)), most)));
      if (high_.back() == 0) off_[j] = 0;  // nobody draws it, wherever it is ranked
    }
  }

  /// The first `count` of a ranking, or those that may be.
  std::optional<TokenSets> cut_at(const Tokens& all, std::size_t count) const {
    const auto sets = kept_sets({z_, off_, all}, count);
    if (!sets) return std::nullopt;
    TokenSets made;
    for (const KeptSet& set : *sets) {
      Tokens& one =
          made.emplace_back(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size())));
      std::erase_if(one, [&](std::size_t token) { return std::ranges::count(set.without, token) > 0; });
      one.insert(one.end(), set.with.begin(), set.with.end());
    }
    return made;
  }

  /// Without tokens below the least weight, of which those of one logit come or go together.
  std::optional<TokenSets> without_light(const Tokens& all) const {
    std::vector<double> open;
    for (const std::size_t j : all)
      if (low_[j] < how_.least && high_[j] >= how_.least && std::ranges::count(open, logits_[j]) == 0) {
        open.push_back(logits_[j]);
        if (open.size() > most_tried) return std::nullopt;
      }
    TokenSets made;
    for (unsigned otherwise = 0; otherwise < 1u << open.size(); ++otherwise) {
      Tokens& one = made.emplace_back();
      for (const std::size_t j : all) {
        const auto place = static_cast<std::size_t>(std::ranges::find(open, logits_[j]) - open.begin());
        const bool is_other = place < open.size() && (otherwise >> place & 1) != 0;
        if ((truth_[j] >= how_.least) != is_other) one.push_back(j);
      }
    }
    return made;
  }

  /// The shortest beginnings of a ranking with the share of its weight that is kept.
  std::optional<TokenSets> of_share(const Tokens& all) const {
    std::uint64_t low = 0, high = 0, low_left = 0, high_left = 0, truth = 0, total = 0;
    for (const std::size_t j : all) {
      low_left += low_[j];
      high_left += high_[j];
      total += truth_[j];
    }
    const std::uint64_t wanted = wanted_of(total, how_.share);
    std::vector<std::size_t> counts;  // the truth's own first
    for (std::size_t n = 1; n <= all.size(); ++n) {
      const std::size_t j = all[n - 1];
      const bool was_enough = truth >= wanted;
      low += low_[j];
      high += high_[j];
      truth += truth_[j];
      low_left -= low_[j];
      high_left -= high_[j];
      const bool may_be = high >= wanted_of(high + low_left, how_.share);
      if (truth >= wanted && !was_enough)
        counts.insert(counts.begin(), n);
      else if (may_be)
        counts.push_back(n);
      if (low >= wanted_of(low + high_left, how_.share)) break;
      if (counts.size() > most_sets) return std::nullopt;
    }
    TokenSets made;
    for (const std::size_t count : counts) {
      std::optional<TokenSets> sets = cut_at(all, count);
      if (!sets || made.size() + sets->size() > most_sets) return std::nullopt;
      std::ranges::move(*sets, std::back_inserter(made));
    }
    return made;
  }

  const std::span<const double> logits_;
  const Drawing& how_;
  std::vector<double> z_, off_;
  std::vector<std::uint64_t> truth_, low_, high_;  ///< weights
  Tokens order_;                                   ///< by rank, where that matters
  bool is_wild_ = false;
};

}  // namespace

Draw explain_draw(std::span<const double> logits, const Drawing& how, std::uint64_t random, std::size_t token) {
  const TokenRow row(logits, how);
  if (row.is_wild()) return {.is_wild = true};
  const std::optional<TokenSets> sets = row.sets();
  if (!sets) return {.is_flagged = true};
  std::optional<Draw> found;
  bool is_open = false;
  for (const Tokens& set : *sets) {
    const Draw one = row.draw(set, random, token);
    const bool is_admissible = one.by.margin <= one.by.limit;
    is_open |= one.is_open || (found && !is_admissible) || (!found && is_admissible && &set != &sets->front());
    if (is_admissible && !found) found = one;
    if (!found && &set == &sets->back()) found = row.draw(sets->front(), random, token);
  }
  found->is_open = is_open;
  return *found;
}

}  // namespace plumb::parity::judges

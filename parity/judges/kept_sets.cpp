// Which numbers at a cut may change places: those whose limits reach each other.
#include "parity/judges/kept_sets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace plumb::parity::judges {
namespace {

constexpr std::size_t most_open = 6;  // three pairs of neighbours
using Ranks = std::vector<std::size_t>;

/// A cut through a ranking; numbers go by their ranks.
class Cut {
 public:
  Cut(const Ranked& ranked, std::size_t count) : ranked_(ranked), count_(count) {}

  /// Whether the number of rank a, which is the later one, may come before that of rank b.
  bool may_overtake(std::size_t a, std::size_t b) const {
    return value(a) < value(b) && value(b) - value(a) <= limit(a) + limit(b);
  }

  /// Ranks before the cut, and from it on, that may be on the other side of it, as far as the cut alone says.
  std::pair<Ranks, Ranks> reach() const {
    const std::size_t size = ranked_.order.size();
    Ranks kept, left;
    double widest = 0;
    for (std::size_t r = 0; r < count_; ++r) widest = std::max(widest, limit(r));
    for (std::size_t r = count_; r < size; ++r)
      if (value(count_ - 1) - value(r) <= widest + limit(r)) left.push_back(r);
    widest = 0;
    for (const std::size_t r : left) widest = std::max(widest, limit(r));
    for (std::size_t r = 0; r < count_; ++r)
      if (value(r) - value(count_) <= widest + limit(r)) kept.push_back(r);
    return {std::move(kept), std::move(left)};
  }

  /// Those of `ranks` that may overtake, or be overtaken by, one of `others`. Of equal ones of these one will do.
  Ranks open(const Ranks& ranks, const Ranks& others, bool overtake) const {
    Ranks distinct, found;
    for (const std::size_t other : others)
      if (distinct.empty() || value(distinct.back()) != value(other)) distinct.push_back(other);
    for (const std::size_t r : ranks) {
      const auto changes = [&](std::size_t other) {
        return overtake ? may_overtake(r, other) : may_overtake(other, r);
      };
      if (std::ranges::any_of(distinct, changes)) found.push_back(r);
      if (found.size() > most_open) break;
    }
    return found;
  }

  /// Whether all that `with` leaves behind may be overtaken by it, and all that `without` falls behind may overtake it.
  bool is_admissible(const Ranks& without, const Ranks& with) const {
    const auto is_in = [](const Ranks& ranks, std::size_t r) { return std::ranges::find(ranks, r) != ranks.end(); };
    for (const std::size_t entering : with) {
      for (const std::size_t leaving : without)
        if (!may_overtake(entering, leaving)) return false;
      for (std::size_t r = count_; r < entering; ++r)
        if (!is_in(with, r) && !may_overtake(entering, r)) return false;
    }
    for (const std::size_t leaving : without)
      for (std::size_t r = leaving + 1; r < count_; ++r)
        if (!is_in(without, r) && !may_overtake(r, leaving)) return false;
    return true;
  }

  std::size_t place(std::size_t rank) const { return ranked_.order[rank]; }

 private:
  double value(std::size_t rank) const { return ranked_.value[place(rank)]; }
  double limit(std::size_t rank) const { return ranked_.limit[place(rank)]; }

  const Ranked& ranked_;
  const std::size_t count_;
};

}  // namespace

std::optional<std::vector<KeptSet>> kept_sets(const Ranked& ranked, std::size_t count) {
  std::vector<KeptSet> sets = {{}};
  if (count == 0 || count >= ranked.order.size()) return sets;
  const Cut cut(ranked, count);
  const auto [near_kept, near_left] = cut.reach();
  Ranks open = cut.open(near_kept, near_left, false);
  const std::size_t kept = open.size();
  const Ranks left = cut.open(near_left, near_kept, true);
  open.insert(open.end(), left.begin(), left.end());
  if (open.size() > most_open) return std::nullopt;
  for (unsigned chosen = 0; chosen < 1u << open.size(); ++chosen) {
    if (static_cast<std::size_t>(std::popcount(chosen)) != kept) continue;
    Ranks without, with;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const bool is_kept = (chosen >> i & 1) != 0, was_kept = i < kept;
      if (is_kept && !was_kept) with.push_back(open[i]);
      if (!is_kept && was_kept) without.push_back(open[i]);
    }
    if (with.empty() || !cut.is_admissible(without, with)) continue;
    KeptSet& set = sets.emplace_back();
    for (const std::size_t rank : without) set.without.push_back(cut.place(rank));
    for (const std::size_t rank : with) set.with.push_back(cut.place(rank));
  }
  if (sets.size() > most_sets) return std::nullopt;
  return sets;
}

}  // namespace plumb::parity::judges

// Optimised: it loops over elements or terms.
#include "parity/sums/tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "parity/compare/chains.hpp"

namespace plumb::parity::sums {
namespace {

namespace elements = compare::elements;

/// Terms begin, begin + step, ..., `count` of them.
struct Stretch {
  std::int64_t begin = 0, step = 1, count = 0;
};

/// How many of `count` terms lane `i` of `lanes` takes, where it takes every lanes-th.
std::int64_t lane_share(std::int64_t count, std::int64_t lanes, std::int64_t i) {
  return i < count ? (count - i - 1) / lanes + 1 : 0;
}

Tree::Sizes& operator+=(Tree::Sizes& all, const Tree::Sizes& one) {
  all.nodes += one.nodes;
  all.total += one.total;
  all.squares += one.squares;
  all.depth = std::max(all.depth, one.depth);
  return all;
}

Tree::Sizes times(double count, Tree::Sizes one) {
  one.nodes *= count;
  one.total *= count;
  one.squares *= count;
  return one;
}

/// A chain of `count` items of `size` terms, the nodes between them: 2, 3, ... items.
Tree::Sizes chain_nodes(double count, double size) {
  if (count < 2) return {};
  const double sum = count * (count + 1) / 2 - 1, squares = count * (count + 1) * (2 * count + 1) / 6 - 1;
  return {count - 1, size * sum, size * size * squares, count - 1};
}

/// The terms of a stretch that each item of a level takes.
std::vector<Stretch> items_of(std::span<const ir::SumLevel> levels, std::size_t level, const Stretch& all) {
  std::vector<Stretch> items;
  const ir::SumLevel& joined = levels[level];
  if (joined.take == ir::SumTake::every && joined.count > 0) {
    for (std::int64_t i = 0; i < std::min(joined.count, all.count); ++i)
      items.push_back({all.begin + i * all.step, all.step * joined.count, lane_share(all.count, joined.count, i)});
    return items;
  }
  const std::int64_t capacity = capacity_of(levels, level);
  const std::int64_t even = joined.count > 0 ? (all.count + joined.count - 1) / joined.count : all.count;
  const std::int64_t size = std::max<std::int64_t>(capacity > 0 ? capacity : even, 1);
  for (std::int64_t from = 0; from < all.count; from += size)
    items.push_back({all.begin + from * all.step, all.step, std::min(size, all.count - from)});
  return items;
}

/// Adds the terms of an element, or of several side by side, along a tree and collects what roundings may do.
template <std::size_t lanes>
class Walk {
 public:
  using Numbers = std::array<double, lanes>;

  /// `terms`: those of several elements beside each other.
  Walk(std::span<const ir::SumLevel> levels, std::span<const double> terms, const Additions& additions)
      : levels_(levels),
        terms_(terms),
        rules_{additions.unit, additions.subnormal / 2, additions.flushed, additions.terms_are_numbers} {}

  Numbers variances = {}, vanished = {};

  /// The sums of a stretch by the first `level` levels.
  Numbers sum(std::size_t level, const Stretch& terms);
  /// Adds the next item of a chain of level `level` to the sums of those before it; `is_first`: there are none.
  void append(std::size_t level, const Stretch& item, bool is_first, Numbers& so_far);

 private:
  bool items_are_numbers(std::size_t level) const {
    return level == 0 ? rules_.are_numbers : levels_[level - 1].join != ir::SumJoin::unit;
  }
  Numbers term(std::int64_t k) const {
    Numbers found;
    std::copy_n(terms_.begin() + k * static_cast<std::int64_t>(lanes), lanes, found.begin());
    return found;
  }
  void round(const Numbers& sums) {
    for (std::size_t l = 0; l < lanes; ++l)
      elements::note_rounding(rules_, sums[l], std::abs(sums[l]), false, variances[l], vanished[l]);
  }
  void join(Numbers& so_far, const Numbers& items, bool are_numbers) {
    for (std::size_t l = 0; l < lanes; ++l)
      elements::join(rules_, so_far[l], items[l], are_numbers, variances[l], vanished[l]);
  }
  Numbers chain(std::size_t level, std::span<const Stretch> items);
  Numbers chain_of_terms(const Stretch& terms);
  Numbers pairs(std::size_t level, std::span<const Stretch> items);

  const std::span<const ir::SumLevel> levels_;
  const std::span<const double> terms_;
  const elements::ChainRules rules_;
};

template <std::size_t lanes>
typename Walk<lanes>::Numbers Walk<lanes>::chain_of_terms(const Stretch& terms) {
  if constexpr (lanes == elements::chains_at_once) {
    elements::Chains chains{{}, variances, vanished};
    compare::add_chains(rules_, &terms_[static_cast<std::size_t>(terms.begin) * lanes],
                        static_cast<std::size_t>(terms.step), static_cast<std::size_t>(terms.count), chains);
    variances = chains.variances;
    vanished = chains.vanished;
    return chains.sums;
  } else {
    const elements::ChainRules rules = rules_;  // here, and what is found, so that they stay in registers
    Numbers so_far = term(terms.begin);
    if (!rules.are_numbers) round(so_far);
    Numbers found = variances, gone = vanished;
    for (std::int64_t i = 1; i < terms.count; ++i) {
      const Numbers item = term(terms.begin + i * terms.step);
      for (std::size_t l = 0; l < lanes; ++l)
        elements::join(rules, so_far[l], item[l], rules.are_numbers, found[l], gone[l]);
    }
    variances = found;
    vanished = gone;
    return so_far;
  }
}

template <std::size_t lanes>
typename Walk<lanes>::Numbers Walk<lanes>::chain(std::size_t level, std::span<const Stretch> items) {
  Numbers so_far = {};
  for (const Stretch& item : items) append(level, item, &item == &items.front(), so_far);
  return so_far;
}

template <std::size_t lanes>
void Walk<lanes>::append(std::size_t level, const Stretch& item, bool is_first, Numbers& so_far) {
  const bool are_numbers = items_are_numbers(level);
  const Numbers one = sum(level, item);
  if (!is_first) return join(so_far, one, are_numbers);
  so_far = one;
  if (!are_numbers) round(so_far);
}

/// Item i first meets item i + n / 2, where n is the next power of two.
template <std::size_t lanes>
typename Walk<lanes>::Numbers Walk<lanes>::pairs(std::size_t level, std::span<const Stretch> items) {
  const bool are_numbers = items_are_numbers(level);
  std::vector<Numbers> sums;
  for (const Stretch& item : items) sums.push_back(sum(level, item));
  for (std::size_t upper = std::bit_ceil(sums.size()) / 2; upper > 0; upper /= 2) {
    for (std::size_t i = upper; i < sums.size(); ++i) join(sums[i - upper], sums[i], are_numbers);
    sums.resize(std::min(sums.size(), upper));
  }
  return sums.front();
}

template <std::size_t lanes>
typename Walk<lanes>::Numbers Walk<lanes>::sum(std::size_t level, const Stretch& terms) {
  if (terms.count == 0) return {};
  if (level == 0) return term(terms.begin);
  const ir::SumLevel& joined = levels_[level - 1];
  if (level == 1 && joined.join == ir::SumJoin::chain && joined.take == ir::SumTake::run) return chain_of_terms(terms);
  const std::vector<Stretch> items = items_of(levels_, level - 1, terms);
  if (joined.join == ir::SumJoin::chain) return chain(level - 1, items);
  if (joined.join == ir::SumJoin::pair) return pairs(level - 1, items);
  Numbers all = {};
  for (const Stretch& item : items) {
    const Numbers more = sum(level - 1, item);
    for (std::size_t l = 0; l < lanes; ++l) all[l] += more[l];
  }
  return all;
}

/// The sizes of the nodes of a tree.
class Measure {
 public:
  Measure(std::span<const ir::SumLevel> levels, bool terms_are_numbers)
      : levels_(levels), terms_are_numbers_(terms_are_numbers) {}

  Tree::Sizes of(std::size_t level, std::int64_t terms) const;

 private:
  bool items_are_numbers(std::size_t level) const {
    return level == 0 ? terms_are_numbers_ : levels_[level - 1].join != ir::SumJoin::unit;
  }
  Tree::Sizes chain(std::size_t level, std::int64_t terms) const;
  Tree::Sizes joined(std::size_t level, std::span<const Stretch> items) const;

  std::span<const ir::SumLevel> levels_;
  bool terms_are_numbers_;
};

/// A chain of neighbouring runs, whose items are alike but for the last: in closed form.
Tree::Sizes Measure::chain(std::size_t level, std::int64_t terms) const {
  const std::int64_t capacity = capacity_of(levels_, level), count = levels_[level].count;
  const std::int64_t even = count > 0 ? (terms + count - 1) / count : terms;
  const std::int64_t size = std::max<std::int64_t>(capacity > 0 ? capacity : even, 1);
  const std::int64_t whole = terms / size, rest = terms % size;
  const auto all = static_cast<double>(terms);
  Tree::Sizes sizes = chain_nodes(static_cast<double>(whole), static_cast<double>(size));
  if (rest > 0 && whole > 0) {
    sizes.nodes += 1;
    sizes.total += all;
    sizes.squares += all * all;
    sizes.depth += 1;
  }
  if (!items_are_numbers(level)) {
    const auto first = static_cast<double>(whole > 0 ? size : rest);
    sizes.nodes += 1;
    sizes.total += first;
    sizes.squares += first * first;
    sizes.depth += 1;
  }
  const double between = sizes.depth;
  Tree::Sizes inside = times(static_cast<double>(whole), of(level, whole > 0 ? size : 0));
  inside += of(level, rest);
  sizes.depth = 0;
  sizes += inside;
  sizes.depth = between + inside.depth;
  return sizes;
}

Tree::Sizes Measure::joined(std::size_t level, std::span<const Stretch> items) const {
  const bool is_unit = levels_[level].join == ir::SumJoin::unit, is_pair = levels_[level].join == ir::SumJoin::pair;
  Tree::Sizes sizes;
  std::vector<double> counts;
  for (const Stretch& item : items) {
    sizes += of(level, item.count);
    counts.push_back(static_cast<double>(item.count));
  }
  const double inside = sizes.depth;
  const auto node = [&](double count) {
    sizes.nodes += 1;
    sizes.total += count;
    sizes.squares += count * count;
  };
  double between = 0;
  if (is_pair) {
    for (std::size_t upper = std::bit_ceil(counts.size()) / 2; upper > 0; upper /= 2, between += 1) {
      for (std::size_t i = upper; i < counts.size(); ++i) node(counts[i - upper] += counts[i]);
      counts.resize(std::min(counts.size(), upper));
    }
  } else if (!is_unit) {
    double so_far = counts.front();
    if (!items_are_numbers(level)) {
      node(so_far);
      between += 1;
    }
    for (std::size_t i = 1; i < counts.size(); ++i) {
      node(so_far += counts[i]);
      between += 1;
    }
  }
  sizes.depth = inside + between;
  return sizes;
}

Tree::Sizes Measure::of(std::size_t level, std::int64_t terms) const {
  if (terms == 0 || level == 0) return {};
  const ir::SumLevel& joined_by = levels_[level - 1];
  if (joined_by.join == ir::SumJoin::chain && joined_by.take == ir::SumTake::run) return chain(level - 1, terms);
  return joined(level - 1, items_of(levels_, level - 1, {0, 1, terms}));
}

/// The levels, or that of one chain.
std::span<const ir::SumLevel> levels_or_one(std::span<const ir::SumLevel> levels) {
  static const ir::SumLevel chain{};
  return levels.empty() ? std::span(&chain, 1) : levels;
}

}  // namespace

std::int64_t capacity_of(std::span<const ir::SumLevel> levels, std::size_t level) {
  std::int64_t terms = 1;
  for (std::size_t i = 0; i < level; ++i) terms *= levels[i].count;
  return terms;
}

Tree::Tree(std::span<const ir::SumLevel> levels, std::int64_t terms, bool terms_are_numbers)
    : levels_(levels_or_one(levels).begin(), levels_or_one(levels).end()),
      terms_(terms),
      sizes_(Measure(levels_, terms_are_numbers).of(levels_.size(), terms)) {}

double Tree::alpha() const {
  const auto count = static_cast<double>(terms_);
  return terms_ == 0 ? 0 : sizes_.squares / (count * count);
}

double Tree::beta() const {
  const auto count = static_cast<double>(terms_);
  if (terms_ <= 1) return 0;
  return count / (count - 1) * std::max(sizes_.total / count - alpha(), 0.0);
}

Tree::Roundings Tree::roundings(std::span<const double> terms, const Additions& additions) const {
  return roundings(levels_, terms, additions);
}

Tree::Roundings Tree::roundings(std::span<const ir::SumLevel> levels, std::span<const double> terms,
                                const Additions& additions) {
  if (terms.empty()) return {};
  Walk<1> walk(levels_or_one(levels), terms, additions);
  walk.sum(levels_or_one(levels).size(), {0, 1, static_cast<std::int64_t>(terms.size())});
  if (additions.products_round)
    for (const double term : terms) {
      const double off = std::max(additions.unit * std::abs(term), additions.subnormal / 2);
      walk.variances[0] += off * off;
    }
  return {walk.variances[0], walk.vanished[0]};
}

std::array<double, Tree::side_by_side> Tree::variances(std::span<const ir::SumLevel> levels,
                                                       std::span<const double> terms, const Additions& additions) {
  if (terms.empty()) return {};
  const auto count = terms.size() / side_by_side;
  Walk<side_by_side> walk(levels_or_one(levels), terms, additions);
  walk.sum(levels_or_one(levels).size(), {0, 1, static_cast<std::int64_t>(count)});
  if (!additions.products_round) return walk.variances;
  elements::Chains chains{{}, walk.variances, {}};
  compare::add_roundings_of_products({.unit = additions.unit, .least = additions.subnormal / 2}, terms.data(), count,
                                     chains);
  return chains.variances;
}

bool RunningTree::is_known(std::span<const ir::SumLevel> levels) {
  if (levels.empty()) return true;
  const ir::SumLevel& outermost = levels.back();
  return outermost.join == ir::SumJoin::chain && outermost.take == ir::SumTake::run && outermost.count == 0 &&
         capacity_of(levels, levels.size() - 1) > 0;
}

RunningTree::RunningTree(std::span<const ir::SumLevel> levels, std::span<const double> terms,
                         const Additions& additions)
    : levels_(levels_or_one(levels).begin(), levels_or_one(levels).end()),
      terms_(terms),
      additions_(additions),
      length_(capacity_of(levels_, levels_.size() - 1)) {}

Tree::Roundings RunningTree::roundings(std::int64_t count) {
  Walk<1> walk(levels_, terms_, additions_);
  walk.variances[0] = found_.variance;
  walk.vanished[0] = found_.vanished;
  Walk<1>::Numbers so_far = {so_far_};
  const std::size_t level = levels_.size() - 1;
  for (; (joined_ + 1) * length_ <= count; ++joined_) {
    walk.append(level, {joined_ * length_, 1, length_}, joined_ == 0, so_far);
    walked_ += static_cast<std::uint64_t>(length_);
    so_far_ = so_far[0];
    found_ = {walk.variances[0], walk.vanished[0]};
  }
  const std::int64_t rest = count - joined_ * length_;
  walked_ += static_cast<std::uint64_t>(rest);
  if (rest > 0) walk.append(level, {joined_ * length_, 1, rest}, joined_ == 0, so_far);
  return {walk.variances[0], walk.vanished[0]};
}

Tree::Roundings largest_roundings(std::span<const double> terms, const Additions& additions) {
  const auto count = static_cast<std::int64_t>(terms.size());
  Tree::Roundings most;
  const auto add = [&](const std::vector<ir::SumLevel>& levels, std::span<const double> in_order) {
    const Tree::Roundings one = Tree(levels, count, additions.terms_are_numbers).roundings(in_order, additions);
    most = {std::max(most.variance, one.variance), std::max(most.vanished, one.vanished)};
  };
  add({{}}, terms);
  add({{}}, std::vector<double>(terms.rbegin(), terms.rend()));
  for (std::int64_t chunk = 4; chunk <= 4096 && chunk < count; chunk *= 2) add({{.count = chunk}, {}}, terms);
  for (std::int64_t lanes = 4; lanes <= 256 && lanes < count; lanes *= 2)
    add({{}, {.count = lanes, .take = ir::SumTake::every, .join = ir::SumJoin::pair}}, terms);
  add({{.join = ir::SumJoin::pair}}, terms);
  return most;
}

}  // namespace plumb::parity::sums

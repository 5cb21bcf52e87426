// Optimised: sums over all seeds of all hypotheses for every pattern of signs.
#include "parity/studies/drift/max_t.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

#include "ir/raw/philox.hpp"

namespace plumb::parity::studies::drift {
namespace {

constexpr std::size_t most_patterns = 65'536, most_enumerated_pairs = 17;
constexpr std::uint64_t key_of_patterns = 0x6472696674;  // "drift"
/// Statistics that differ by less are equal: sums of equal numbers in another order do.
constexpr double relative_tie = 1e-9;

/// t² of a mean that explains the share r of a sum of squares.
double t_squared(double r, double degrees) {
  constexpr double all = 1 - 1e-13;
  return r >= all ? std::numeric_limits<double>::infinity() : degrees * r / (1 - r);
}

/// Counts, for hypotheses in descending order of |t|, in how many patterns one of them or of those behind them has a
/// |t| that is no smaller.
class StepDown {
 public:
  explicit StepDown(std::span<const Tested> tested) : order_(tested.size()), counts_(tested.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(
        order_, [&](std::size_t a, std::size_t b) { return std::abs(tested[a].t) > std::abs(tested[b].t); });
    for (const Tested& one : tested) observed_.push_back(one.t * one.t * (1 - relative_tie));
  }

  void add(const std::vector<double>& t2) {
    double largest = 0;
    for (std::size_t k = order_.size(); k-- > 0;) {
      largest = std::max(largest, t2[order_[k]]);
      counts_[k] += largest >= observed_[order_[k]];
    }
    ++patterns_;
  }

  void put_p(std::vector<Tested>& tested) const {
    double p = 0;
    for (std::size_t k = 0; k < order_.size(); ++k) {
      p = std::max(p, static_cast<double>(counts_[k]) / static_cast<double>(patterns_));
      tested[order_[k]].p = p;
    }
  }

 private:
  std::vector<std::size_t> order_, counts_;
  std::vector<double> observed_;
  std::size_t patterns_ = 0;
};

/// The values of all hypotheses: 0 where nothing was measured, so that sums pass over it.
struct Values {
  std::vector<double> all;       ///< hypothesis by hypothesis
  std::vector<double> measured;  ///< 1 or 0, likewise
  std::vector<double> count, squares;
  std::size_t seeds = 0;

  explicit Values(std::span<const std::vector<double>> lists, bool is_centred) {
    seeds = lists.empty() ? 0 : lists.front().size();
    for (const std::vector<double>& list : lists) {
      double n = 0, sum = 0, sum2 = 0;
      for (const double x : list) {
        if (std::isnan(x)) continue;
        n += 1;
        sum += x;
      }
      const double centre = is_centred && n > 0 ? sum / n : 0;
      for (const double x : list) {
        const double moved = std::isnan(x) ? 0 : x - centre;
        all.push_back(moved);
        measured.push_back(std::isnan(x) ? 0 : 1);
        sum2 += moved * moved;
      }
      count.push_back(n);
      squares.push_back(sum2);
    }
  }

  double sum(std::size_t hypothesis, std::span<const double> weights) const {
    double sum = 0;
    const double* const x = all.data() + hypothesis * seeds;
    for (std::size_t i = 0; i < seeds; ++i) sum += x[i] * weights[i];
    return sum;
  }
  double weight(std::size_t hypothesis, std::span<const double> weights) const {
    double sum = 0;
    const double* const is = measured.data() + hypothesis * seeds;
    for (std::size_t i = 0; i < seeds; ++i) sum += is[i] * weights[i];
    return sum;
  }
};

/// Random words, the same in every run.
class Words {
 public:
  std::uint32_t next() {
    if (at_ == words_.size()) {
      words_ = ir::raw::philox_block(key_of_patterns, 0, 0, block_++);
      at_ = 0;
    }
    return words_[at_++];
  }

 private:
  ir::raw::PhiloxWords words_ = {};
  std::size_t at_ = words_.size();
  std::uint64_t block_ = 0;
};

/// Calls `each` with patterns of signs, of which the first are all +1; a pattern and its opposite are one.
void for_each_signs(std::size_t seeds, const std::function<void(std::span<const double>)>& each) {
  std::vector<double> signs(seeds, 1);
  if (seeds <= most_enumerated_pairs) {
    for (std::size_t pattern = 0; pattern < std::size_t{1} << (seeds - 1); ++pattern) {
      for (std::size_t i = 0; i + 1 < seeds; ++i) signs[i] = (pattern >> i & 1) != 0 ? -1 : 1;
      each(signs);
    }
    return;
  }
  each(signs);
  Words words;
  for (std::size_t k = 1; k < most_patterns; ++k) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < seeds; ++i, word >>= 1) {
      if (i % 32 == 0) word = words.next();
      signs[i] = (word & 1) != 0 ? -1 : 1;
    }
    each(signs);
  }
}

/// How many ways there are to choose k of n, or more than most_patterns.
std::size_t ways(std::size_t n, std::size_t k) {
  std::size_t count = 1;
  for (std::size_t i = 1; i <= std::min(k, n - k); ++i) {
    count = count * (n - i + 1) / i;
    if (count > most_patterns) return most_patterns + 1;
  }
  return count;
}

/// Calls `each` with ways to choose those of now, which have 1: all ways, or many at random, the true one first.
void for_each_labels(std::size_t base, std::size_t now, const std::function<void(std::span<const double>)>& each) {
  std::vector<double> chosen(base, 0);
  chosen.resize(base + now, 1);
  if (ways(base + now, now) <= most_patterns) {
    do each(chosen);  // it is sorted at first: all permutations follow
    while (std::ranges::next_permutation(chosen).found);
    return;
  }
  each(chosen);
  Words words;
  for (std::size_t k = 1; k < most_patterns; ++k) {
    for (std::size_t i = chosen.size() - 1; i > 0; --i) {
      const auto other = static_cast<std::size_t>(std::uint64_t{words.next()} * (i + 1) >> 32);
      std::swap(chosen[i], chosen[other]);
    }
    each(chosen);
  }
}

}  // namespace

std::size_t fewest_pairs(double false_alarm) {
  std::size_t pairs = 1;
  while (std::ldexp(1.0, 1 - static_cast<int>(pairs)) > false_alarm) ++pairs;
  return pairs;
}

double least_p_of_groups(std::size_t base, std::size_t now) {
  if (base == 0 || now == 0 || base + now < 3) return 1;
  // With groups of one length the opposite choice has the same |t|.
  return (base == now ? 2.0 : 1.0) / static_cast<double>(std::min(ways(base + now, now), most_patterns));
}

std::vector<Tested> test_pairs(std::span<const std::vector<double>> differences) {
  const Values values(differences, false);
  std::vector<Tested> tested(differences.size());
  if (values.seeds == 0) return tested;
  std::vector<double> t2(tested.size());
  const auto measure = [&](std::span<const double> signs) {
    for (std::size_t h = 0; h < t2.size(); ++h) {
      const double sum = values.sum(h, signs), n = values.count[h], all = n * values.squares[h];
      t2[h] = n > 1 && all > 0 ? t_squared(sum * sum / all, n - 1) : 0;
    }
  };
  const std::vector<double> ones(values.seeds, 1);
  measure(ones);
  for (std::size_t h = 0; h < tested.size(); ++h) {
    const double n = values.count[h];
    tested[h] = {.mean = n > 0 ? values.sum(h, ones) / n : 0, .degrees = n - 1, .values = static_cast<std::size_t>(n)};
    tested[h].t = std::copysign(std::sqrt(t2[h]), tested[h].mean);
  }
  StepDown steps(tested);
  for_each_signs(values.seeds, [&](std::span<const double> signs) {
    measure(signs);
    steps.add(t2);
  });
  steps.put_p(tested);
  return tested;
}

std::vector<Tested> test_groups(std::span<const std::vector<double>> lists, std::size_t base) {
  const Values values(lists, true);
  std::vector<Tested> tested(lists.size());
  if (values.seeds <= base || base == 0) return tested;
  std::vector<double> t2(tested.size());
  const auto measure = [&](std::span<const double> labels) {
    for (std::size_t h = 0; h < t2.size(); ++h) {
      const double n = values.count[h], is_now = values.weight(h, labels), is_base = n - is_now;
      const double sum = values.sum(h, labels), all = is_now * is_base * values.squares[h];
      t2[h] = n > 2 && all > 0 ? t_squared(sum * sum * n / all, n - 2) : 0;
    }
  };
  std::vector<double> labels(base, 0);
  labels.resize(values.seeds, 1);
  measure(labels);
  for (std::size_t h = 0; h < tested.size(); ++h) {
    const double n = values.count[h], is_now = values.weight(h, labels), is_base = n - is_now;
    const bool has_both = is_now > 0 && is_base > 0;
    // The sum of all values is 0, so that base has the opposite of now's sum.
    tested[h] = {.mean = has_both ? values.sum(h, labels) * (1 / is_now + 1 / is_base) : 0,
                 .degrees = n - 2,
                 .values = static_cast<std::size_t>(n)};
    tested[h].t = std::copysign(std::sqrt(t2[h]), tested[h].mean);
  }
  StepDown steps(tested);
  for_each_labels(base, values.seeds - base, [&](std::span<const double> chosen) {
    measure(chosen);
    steps.add(t2);
  });
  steps.put_p(tested);
  return tested;
}

}  // namespace plumb::parity::studies::drift

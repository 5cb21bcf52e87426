// Tests of many differences at once, held to published numbers, to slow enumerations and to draws without a change.
#include "parity/studies/drift/max_t.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "parity/core/distributions.hpp"

namespace plumb::parity::studies::drift::max_t_test {
namespace {

using Lists = std::vector<std::vector<double>>;

/// Hypotheses of one seed are alike: each is half what all have in common.
Lists draws(std::size_t hypotheses, std::size_t seeds, std::mt19937_64& random, double skew = 0) {
  std::normal_distribution<double> normal;
  Lists lists(hypotheses, std::vector<double>(seeds));
  for (std::size_t i = 0; i < seeds; ++i) {
    const double common = normal(random);
    for (auto& list : lists) list[i] = common + normal(random) + skew;
  }
  return lists;
}

/// |t| of a mean, as books have it.
double t_of(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  double mean = 0, squares = 0;
  for (const double one : x) mean += one / n;
  for (const double one : x) squares += (one - mean) * (one - mean);
  return std::abs(mean) / std::sqrt(squares / (n - 1) / n);
}

/// |t| of two groups with a common variance.
double t_of(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  double mean_a = 0, mean_b = 0, squares = 0;
  for (const double x : a) mean_a += x / n;
  for (const double x : b) mean_b += x / m;
  for (const double x : a) squares += (x - mean_a) * (x - mean_a);
  for (const double x : b) squares += (x - mean_b) * (x - mean_b);
  return std::abs(mean_a - mean_b) / std::sqrt(squares / (n + m - 2) * (1 / n + 1 / m));
}

/// Westfall and Young's definition: of a hypothesis, in which share of patterns a |t| of those that are no more
/// significant than it reaches its own; never less than that of a more significant one.
std::vector<double> stepped_down(const std::vector<double>& observed, const Lists& by_pattern) {
  std::vector<double> p(observed.size());
  for (std::size_t h = 0; h < observed.size(); ++h)
    for (std::size_t g = 0; g < observed.size(); ++g) {
      if (observed[g] < observed[h]) continue;
      double reached = 0;
      for (const auto& t : by_pattern) {
        bool is_reached = false;
        for (std::size_t k = 0; k < t.size(); ++k)
          is_reached |= observed[k] <= observed[g] && t[k] >= observed[g] * (1 - 1e-9);
        reached += is_reached;
      }
      p[h] = std::max(p[h], reached / static_cast<double>(by_pattern.size()));
    }
  return p;
}

/// Darwin's 15 pairs of maize, in eighths of an inch (The Effects of Cross and Self Fertilisation, 1876). Fisher counts
/// (The Design of Experiments, 1935, section 21) that 863 of 32768 assignments of signs reach the sum of 314, and as
/// many -314; Student's t is 2.148.
TEST(MaxT, CountsAsFisherDidForDarwinsMaize) {
  const Lists pairs = {{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}};
  const Tested tested = test_pairs(pairs).front();
  EXPECT_EQ(tested.values, 15u);
  EXPECT_DOUBLE_EQ(tested.mean, 314.0 / 15);
  EXPECT_NEAR(tested.t, 2.148, 5e-4);
  EXPECT_DOUBLE_EQ(tested.p, 2 * 863.0 / 32768);
}

TEST(MaxT, EqualsASlowEnumerationOfSigns) {
  std::mt19937_64 random(7);
  constexpr std::size_t seeds = 8;
  for (const double skew : {0.0, 0.5, 2.0}) {
    const Lists lists = draws(5, seeds, random, skew);
    std::vector<double> observed;
    for (const auto& list : lists) observed.push_back(t_of(list));
    Lists by_pattern;
    for (unsigned pattern = 0; pattern < 1u << seeds; ++pattern) {
      auto& t = by_pattern.emplace_back();
      for (std::vector<double> list : lists) {
        for (std::size_t i = 0; i < seeds; ++i)
          if ((pattern >> i & 1) != 0) list[i] = -list[i];
        t.push_back(t_of(list));
      }
    }
    const auto wanted = stepped_down(observed, by_pattern);
    const auto tested = test_pairs(lists);
    for (std::size_t h = 0; h < lists.size(); ++h) {
      EXPECT_DOUBLE_EQ(tested[h].p, wanted[h]) << h;
      EXPECT_NEAR(std::abs(tested[h].t), observed[h], 1e-9 * observed[h]);
    }
  }
}

TEST(MaxT, EqualsASlowEnumerationOfLabels) {
  std::mt19937_64 random(8);
  constexpr std::size_t base = 4, all = 9;
  for (const double shift : {0.0, 1.0, 4.0}) {
    Lists lists = draws(4, all, random);
    for (auto& list : lists)
      for (std::size_t i = base; i < all; ++i) list[i] += shift;
    const auto t_by = [&](unsigned chosen) {
      std::vector<double> t;
      for (const auto& list : lists) {
        std::vector<double> a, b;
        for (std::size_t i = 0; i < all; ++i) ((chosen >> i & 1) != 0 ? b : a).push_back(list[i]);
        t.push_back(t_of(a, b));
      }
      return t;
    };
    Lists by_pattern;
    for (unsigned chosen = 0; chosen < 1u << all; ++chosen)
      if (std::popcount(chosen) == all - base) by_pattern.push_back(t_by(chosen));
    ASSERT_EQ(by_pattern.size(), 126u);
    const auto observed = t_by(((1u << all) - 1) & ~((1u << base) - 1));
    const auto wanted = stepped_down(observed, by_pattern);
    const auto tested = test_groups(lists, base);
    for (std::size_t h = 0; h < lists.size(); ++h) {
      EXPECT_DOUBLE_EQ(tested[h].p, wanted[h]) << h;
      EXPECT_NEAR(std::abs(tested[h].t), observed[h], 1e-9 * observed[h]);
    }
  }
  EXPECT_DOUBLE_EQ(test_groups(Lists{{1, 2, 3, 4, 5, 6}}, 3).front().p, 2.0 / 20);
  EXPECT_DOUBLE_EQ(test_groups(Lists{{1, 2, 3, 4, 5, 6}}, 3).front().mean, 3);
}

/// A part of the patterns stands for all where there are more than 17 seeds.
TEST(MaxT, DrawnPatternsComeCloseToAllPatterns) {
  std::mt19937_64 random(9);
  constexpr std::size_t seeds = 20, patterns = std::size_t{1} << (seeds - 1);
  const Lists lists = draws(1, seeds, random, 0.6);
  const double observed = std::abs(std::accumulate(lists[0].begin(), lists[0].end(), 0.0));
  std::size_t reached = 0;
  for (std::size_t pattern = 0; pattern < patterns; ++pattern) {
    double sum = 0;
    for (std::size_t i = 0; i < seeds; ++i) sum += (pattern >> i & 1) != 0 ? -lists[0][i] : lists[0][i];
    reached += std::abs(sum) >= observed * (1 - 1e-12);
  }
  const double p = static_cast<double>(reached) / patterns, deviation = std::sqrt(p * (1 - p) / 65536);
  ASSERT_GT(p, 0.001);
  EXPECT_NEAR(test_pairs(lists).front().p, p, 4 * deviation);
}

/// Without a change the smallest p of a call is uniform on its 2^-7 steps, however alike hypotheses are. The largest
/// distance of 1000 draws exceeds 1.628/√1000 with probability 0.01 (Kolmogorov and Smirnov's table).
TEST(MaxT, IsUniformWithoutAChange) {
  std::mt19937_64 random(10);
  constexpr std::size_t draws_made = 1000, steps = 128;
  for (const bool is_paired : {true, false}) {
    std::vector<double> least;
    for (std::size_t k = 0; k < draws_made; ++k) {
      const Lists lists = draws(10, is_paired ? 8 : 9, random);
      double p = 1;
      for (const Tested& one : is_paired ? test_pairs(lists) : test_groups(lists, 4)) p = std::min(p, one.p);
      least.push_back(p);
    }
    double distance = 0;
    const double ways = is_paired ? steps : 126;
    for (double step = 1; step <= ways; ++step) {
      const auto below = std::ranges::count_if(least, [&](double p) { return p <= step / ways + 1e-12; });
      distance = std::max(distance, std::abs(static_cast<double>(below) / draws_made - step / ways));
    }
    EXPECT_LT(distance, 1.628 / std::sqrt(draws_made)) << is_paired;
  }
}

TEST(MaxT, LeavesOutWhatWasNotMeasured) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto whole = test_pairs(Lists{{1, 2, 3, 4, 5, 6, 7}});
  const auto holes = test_pairs(Lists{{1, none, 2, 3, 4, 5, none, 6, 7}});
  EXPECT_DOUBLE_EQ(holes[0].mean, 4);
  EXPECT_DOUBLE_EQ(holes[0].t, whole[0].t);
  EXPECT_DOUBLE_EQ(holes[0].p, whole[0].p);
  EXPECT_EQ(holes[0].values, 7u);
  // Equal differences have no standard error, and none is larger.
  EXPECT_TRUE(std::isinf(test_pairs(Lists{std::vector<double>(8, 0.25)}).front().t));
  EXPECT_DOUBLE_EQ(test_pairs(Lists{std::vector<double>(8, 0.25)}).front().p, 1.0 / 128);
  EXPECT_TRUE(test_pairs(Lists{}).empty());
}

TEST(MaxT, SaysHowManySeedsAreNeeded) {
  EXPECT_EQ(fewest_pairs(0.01), 8u);
  EXPECT_EQ(fewest_pairs(0.05), 6u);
  EXPECT_EQ(fewest_pairs(0.5), 2u);
  EXPECT_DOUBLE_EQ(least_p_of_groups(5, 5), 2.0 / 252);
  EXPECT_DOUBLE_EQ(least_p_of_groups(3, 6), 1.0 / 84);
  EXPECT_DOUBLE_EQ(least_p_of_groups(0, 6), 1);
}

/// From a table of Student's t (Fisher and Yates).
TEST(Distributions, StudentsTIsThatOfTables) {
  EXPECT_NEAR(core::student_t_beyond(0.05, 1), 12.706, 5e-4);
  EXPECT_NEAR(core::student_t_beyond(0.05, 7), 2.365, 5e-4);
  EXPECT_NEAR(core::student_t_beyond(0.01, 11), 3.106, 5e-4);
  EXPECT_NEAR(core::student_t_beyond(0.10, 30), 1.697, 5e-4);
  EXPECT_NEAR(core::student_t_beyond(0.001, 120), 3.373, 5e-4);
}

}  // namespace
}  // namespace plumb::parity::studies::drift::max_t_test

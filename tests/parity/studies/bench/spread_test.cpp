// Numbers for samples of times are those of tables, and the interval of a median holds it as often as it says.
#include "parity/studies/bench/spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "ir/error.hpp"
#include "parity/core/distributions.hpp"
#include "parity/studies/bench/timed_runs.hpp"

namespace plumb::parity::studies::bench {
namespace {

TEST(Spread, OfAHundredNumbersIsThatOfTables) {
  std::vector<double> samples(100);
  std::iota(samples.begin(), samples.end(), 1);
  std::ranges::reverse(samples);
  const Spread spread = spread_of(samples);
  EXPECT_EQ(spread.runs, 100u);
  EXPECT_EQ(spread.min, 1);
  EXPECT_EQ(spread.mean, 50.5);
  EXPECT_EQ(spread.median, 50.5);
  EXPECT_EQ(spread.p90, 90);
  EXPECT_EQ(spread.p95, 95);
  EXPECT_EQ(spread.p99, 99);
  EXPECT_EQ(spread.max, 100);
  EXPECT_EQ(spread.low, 40);  // ranks 40 and 61, as tables of the sign test have them for 100
  EXPECT_EQ(spread.high, 61);
}

TEST(Spread, OfFewNumbersHasAllOfThemBetweenItsEnds) {
  const Spread one = spread_of({2}), five = spread_of({5, 1, 2, 4, 3});
  EXPECT_EQ(one.low, 2);
  EXPECT_EQ(one.high, 2);
  EXPECT_EQ(one.p99, 2);
  EXPECT_EQ(five.low, 1);
  EXPECT_EQ(five.high, 5);
  EXPECT_EQ(five.median, 3);
  EXPECT_EQ(core::median_rank(5, 0.05), 0u);
  EXPECT_EQ(core::median_rank(6, 0.05), 1u);
  EXPECT_EQ(core::median_rank(9, 0.05), 2u);
  EXPECT_THROW(spread_of({}), ir::Error);
}

TEST(Spread, HoldsTheMedianIn95Of100Histories) {
  std::mt19937_64 random(11);
  std::exponential_distribution<double> times(1);
  for (const int count : {6, 20, 101}) {
    int held = 0;
    for (int history = 0; history < 2000; ++history) {
      std::vector<double> samples(static_cast<std::size_t>(count));
      for (double& x : samples) x = times(random);
      const Spread spread = spread_of(samples);
      held += spread.low <= std::log(2) && std::log(2) <= spread.high;
    }
    EXPECT_GE(held, 1870) << count;  // 0.95 of 2000, less three standard deviations
  }
}

TEST(TimedRuns, AreAsManyAsAskedForAndAtLeastSeven) {
  int runs = 0;
  std::vector<std::size_t> behind;
  const auto count = [&] { ++runs; };
  const std::vector<double> three =
      timed_runs(count, {.runs = 3, .warmup = 0}, [&](std::size_t n) { behind.push_back(n); });
  EXPECT_EQ(three.size(), 3u);
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(behind, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_GE(timed_runs(count, {.budget = 0, .warmup = 0}).size(), 7u);
  const std::vector<double> slow = timed_runs([&] { EXPECT_GT(ms_of(count), -1); }, {.budget = 0.01, .warmup = 0.001});
  EXPECT_GE(slow.size(), 7u);
  EXPECT_TRUE(std::ranges::all_of(slow, [](double ms) { return ms >= 0; }));
}

}  // namespace
}  // namespace plumb::parity::studies::bench

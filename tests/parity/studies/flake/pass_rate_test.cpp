// The sequential test is right as often as it says, and the interval is that of tables.
#include "parity/studies/flake/pass_rate.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ir/error.hpp"

namespace plumb::parity::studies::flake {
namespace {

TEST(SequentialTest, RunsWithoutAFailureAreStableAfter508) {
  SequentialTest test({});
  while (test.finding() == Finding::undecided) test.add(true);
  EXPECT_EQ(test.finding(), Finding::stable);
  EXPECT_EQ(test.runs(), 508u);
}

TEST(SequentialTest, IsRightIn98Of100SimulatedTrials) {
  std::mt19937_64 random(37);
  for (const double p : {0.999, 0.99}) {
    std::bernoulli_distribution passes(p);
    const Finding wanted = p == 0.999 ? Finding::stable : Finding::flaky;
    int right = 0;
    for (int trial = 0; trial < 100; ++trial) {
      SequentialTest test({});
      while (test.finding() == Finding::undecided) test.add(passes(random));
      right += test.finding() == wanted;
    }
    EXPECT_GE(right, 98) << p;
  }
}

TEST(SequentialTest, RefusesRatesThatCannotBeToldApart) {
  EXPECT_THROW(SequentialTest({.stable = 0.99, .flaky = 0.99}), ir::Error);
  EXPECT_THROW(SequentialTest({.stable = 0.9, .flaky = 0.99}), ir::Error);
  EXPECT_THROW(SequentialTest({.stable = 1, .flaky = 0.99}), ir::Error);
  EXPECT_THROW(SequentialTest({.error = 0.5}), ir::Error);
}

// 1 - 0.025^(1/n) where all pass; the others are of Clopper and Pearson's own formula, by the beta distribution.
TEST(Interval, IsThatOfClopperAndPearson) {
  EXPECT_DOUBLE_EQ(interval_of(10, 10).high, 1);
  EXPECT_NEAR(interval_of(10, 10).low, 0.6915029, 1e-7);
  EXPECT_NEAR(interval_of(508, 508).low, 0.9927647, 1e-7);
  EXPECT_DOUBLE_EQ(interval_of(0, 10).low, 0);
  EXPECT_NEAR(interval_of(0, 10).high, 0.3084971, 1e-7);
  EXPECT_NEAR(interval_of(9, 10).low, 0.5549839, 1e-7);
  EXPECT_NEAR(interval_of(9, 10).high, 0.9974714, 1e-7);
}

}  // namespace
}  // namespace plumb::parity::studies::flake

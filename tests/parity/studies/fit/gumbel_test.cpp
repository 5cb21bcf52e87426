#include "parity/studies/fit/gumbel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "parity/studies/fit/anderson_darling.hpp"

namespace plumb::parity::gumbel_test {
namespace {

double draw(std::mt19937_64& random, const studies::fit::Gumbel& from) {
  const double u = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
  return from.location - from.scale * std::log(-std::log(u));
}

std::vector<double> sample(std::mt19937_64& random, const studies::fit::Gumbel& from, std::size_t count) {
  std::vector<double> values(count);
  for (double& x : values) x = draw(random, from);
  return values;
}

TEST(Gumbel, KnowsItsQuantiles) {
  const studies::fit::Gumbel standard;
  EXPECT_NEAR(standard.exceeded_with(0.5), 0.36651292058166435, 1e-15);
  EXPECT_NEAR(standard.exceeded_with(1e-3), 6.907255070523723, 1e-12);
  EXPECT_NEAR(standard.exceeded_with(1e-300), 300 * std::log(10.0), 1e-9);
  EXPECT_NEAR((studies::fit::Gumbel{2, 3}.exceeded_with(0.5)), 2 + 3 * 0.36651292058166435, 1e-15);
}

TEST(Gumbel, LMomentsOfValuesThatAreWorkedByHand) {
  const std::vector<double> values = {4, 1, 3};  // l1 = 8/3, l2 = 2 (0/2 1 + 1/2 3 + 2/2 4) / 3 - 8/3 = 1
  const studies::fit::Gumbel fitted = studies::fit::fit_gumbel(values);
  EXPECT_NEAR(fitted.scale, 1 / std::log(2.0), 1e-12);
  EXPECT_NEAR(fitted.location, 8.0 / 3 - 0.5772156649015329 / std::log(2.0), 1e-12);
  EXPECT_EQ(studies::fit::fit_gumbel(std::vector<double>(9, 0.25)).scale, 0);
}

TEST(Gumbel, IsFoundAgainInASample) {
  std::mt19937_64 random(7);
  const studies::fit::Gumbel truth{0.4, 0.05}, fitted = studies::fit::fit_gumbel(sample(random, truth, 20000));
  EXPECT_NEAR(fitted.location, truth.location, 0.002);  // 5 deviations
  EXPECT_NEAR(fitted.scale, truth.scale, 0.002);
}

/// The limit must be at or above the true quantile in 95 % of 1000 samples of 40, give or take 3 deviations of
/// the share; without the bootstrap it is in about half.
TEST(Gumbel, TheUpperLimitHasTheStatedConfidence) {
  std::mt19937_64 random(11);
  const studies::fit::Gumbel truth{0.4, 0.05};
  for (const double tail : {0.05, 1e-4}) {
    const double quantile = truth.exceeded_with(tail), margin = studies::fit::upper_limit({0, 1}, 40, tail, 0.95);
    int covered = 0, naive = 0;
    for (int s = 0; s < 1000; ++s) {
      const studies::fit::Gumbel fitted = studies::fit::fit_gumbel(sample(random, truth, 40));
      covered += fitted.location + fitted.scale * margin >= quantile;
      naive += fitted.exceeded_with(tail) >= quantile;
    }
    EXPECT_NEAR(covered, 950, 21) << tail;
    EXPECT_LT(naive, 600) << tail;
  }
  EXPECT_EQ(studies::fit::upper_limit({0.4, 0.05}, 40, 1e-3, 0.95),
            studies::fit::upper_limit({0.4, 0.05}, 40, 1e-3, 0.95));
  EXPECT_GT(studies::fit::upper_limit({0.4, 0.05}, 40, 1e-3, 0.99),
            studies::fit::upper_limit({0.4, 0.05}, 40, 1e-3, 0.95));
  EXPECT_GT(studies::fit::upper_limit({0.4, 0.05}, 40, 1e-3, 0.95),
            studies::fit::upper_limit({0.4, 0.05}, 4000, 1e-3, 0.95));
}

/// A limit fitted to many values is exceeded as often as it says, by values that it has not seen.
TEST(Gumbel, HeldOutValuesExceedTheLimitAsOftenAsPromised) {
  std::mt19937_64 random(13);
  const studies::fit::Gumbel truth{0.4, 0.05};
  const studies::fit::Gumbel fitted = studies::fit::fit_gumbel(sample(random, truth, 5000));
  const double limit = studies::fit::upper_limit(fitted, 5000, 0.01, 0.95);
  int alarms = 0;
  for (int i = 0; i < 100'000; ++i) alarms += draw(random, truth) > limit;
  EXPECT_GT(alarms, 500);   // promised 1000: within a factor of 2
  EXPECT_LT(alarms, 1100);  // and above it only by chance
}

/// Scholz and Stephens 1987, section 7: smoothness of paper by four laboratories; midranks give 4.480.
TEST(AndersonDarling, GivesTheNumbersOfItsPaper) {
  const auto found = studies::fit::compare_samples({{38.7, 41.5, 43.8, 44.5, 45.5, 46.0, 47.7, 58.0},
                                                    {39.2, 39.3, 39.7, 41.4, 41.8, 42.9, 43.3, 45.8},
                                                    {34.0, 35.0, 39.0, 40.0, 43.0, 43.0, 44.0, 45.0},
                                                    {34.0, 34.8, 34.8, 35.4, 37.2, 37.8, 41.2, 42.8}});
  EXPECT_NEAR(found.standardised, 4.480, 1e-3);
  EXPECT_FALSE(found.accepts());
}

TEST(AndersonDarling, AcceptsOneDistributionAsOftenAsItSaysAndRefutesTwo) {
  std::mt19937_64 random(17);
  int accepted = 0;
  for (int t = 0; t < 400; ++t)
    accepted += studies::fit::compare_samples(
                    {sample(random, {0, 1}, 30), sample(random, {0, 1}, 20), sample(random, {0, 1}, 40)})
                    .accepts();
  EXPECT_NEAR(accepted, 380, 14);  // 95 %, 3 deviations
  int refuted = 0;
  for (int t = 0; t < 20; ++t)
    refuted += !studies::fit::compare_samples({sample(random, {0, 1}, 60), sample(random, {1, 1}, 60)}).accepts();
  EXPECT_EQ(refuted, 20);
  EXPECT_TRUE(studies::fit::compare_samples({{1, 1}, {1, 1, 1}}).accepts());
}

}  // namespace
}  // namespace plumb::parity::gumbel_test

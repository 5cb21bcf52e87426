// How large a fault is, in units of what honest evaluations need of their limits.
#include "parity/power/effect.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "parity/compare/false_alarms.hpp"

namespace plumb::parity::power::effect_test {
namespace {

using ir::DType;
using ir::Tensor;

compare::Allowed absolute(double limit) { return {.rule = compare::Allowed::Rule::within, .absolute = limit}; }

Tensor f32(const std::vector<double>& numbers) {
  return ir::convert(Tensor::of({static_cast<std::int64_t>(numbers.size())}, numbers), DType::f32);
}

/// All of every limit allows for chance.
compare::Allowed by_chance(std::int64_t n, double limit) {
  const Tensor limits = Tensor::of({n}, std::vector<double>(static_cast<std::size_t>(n), limit));
  return {.rule = compare::Allowed::Rule::within,
          .limits = std::make_shared<const compare::Limits>(compare::Limits{limits, limits, {}, limits}),
          .lambda = 7};
}

TEST(Effect, IsFreeOfTheScaleOfTheLimit) {
  const std::size_t n = 1000;
  std::vector<double> truth(n, 1), clean = truth, faulty = truth;
  for (std::size_t i = 0; i < n; ++i) {
    clean[i] += i % 2 == 0 ? 0x1p-10 : -0x1p-12;
    faulty[i] = clean[i];
  }
  faulty[7] += 0x1p-7;
  const Tensor wide = Tensor::of({static_cast<std::int64_t>(n)}, truth);
  for (const double limit : {0x1p-8, 1.0, 64.0}) {
    Effect effect(wide, absolute(limit), DType::f32, 1);
    effect.add(f32(clean));
    EXPECT_DOUBLE_EQ(effect.of(f32(clean), f32(faulty)), 8) << limit;
    EXPECT_EQ(effect.of(f32(clean), f32(clean)), 0);
  }
}

TEST(Effect, CountsTheWorstOfHonestEvaluations) {
  const std::vector<double> truth(1000, 1);
  std::vector<double> native = truth, faulty = truth;
  native[3] += 0x1p-9;
  faulty[5] += 0x1p-8;
  Effect effect(Tensor::of({1000}, truth), absolute(1), DType::f32, 1);
  effect.add(f32(truth));
  effect.add(f32(native));
  EXPECT_DOUBLE_EQ(effect.of(f32(truth), f32(faulty)), 2);
}

/// The largest of four errors is now one, now two standard deviations: what honest kernels need of a λ that is made for
/// N elements is not read off it (verdict.md V52).
TEST(Effect, OfFewElementsOfARunIsAskedOfTheirRms) {
  std::mt19937 random(1);
  std::normal_distribution<double> draw;
  const compare::FalseAlarms run{.n_limits = 10'000};
  const double largest = compare::largest_over_rms(run.alpha, run.lambda());
  EXPECT_NEAR(largest, std::sqrt(2 * std::log(1e4)), 1e-9);
  double least = 1, sum = 0;
  constexpr int trials = 200;
  for (int trial = 0; trial < trials; ++trial) {
    const std::vector<double> truth(4, 1);
    std::vector<double> clean = truth;
    for (double& x : clean) x += 0x1p-12 * draw(random);
    Effect effect(Tensor::of({4}, truth), by_chance(4, 0x1p-8), DType::f32, largest);
    effect.add(f32(clean));
    least = std::min(least, effect.need());
    sum += effect.need();
    Effect fixed(Tensor::of({4}, truth), absolute(0x1p-8), DType::f32, largest);
    fixed.add(f32(clean));
    EXPECT_LT(fixed.need(), effect.need());  // an error without chance is no larger elsewhere
  }
  EXPECT_GT(least, 0.25 * 0x1p-4);  // the largest alone comes down to a tenth of a standard deviation
  EXPECT_NEAR(sum / trials, largest * 0x1p-4, 0.1 * largest * 0x1p-4);
}

TEST(Effect, OfAnOutputWithoutErrorsIsAskedOfItsRounding) {
  const Tensor truth = Tensor::of({2}, std::vector<double>{1, 1});
  Effect effect(truth, absolute(0x1p-20), DType::f32, 4);
  effect.add(f32({1, 1}));
  EXPECT_DOUBLE_EQ(effect.need(), 0x1p-24 / 0x1p-20);
}

TEST(Effect, IsInfiniteWhereNoErrorIsAllowed) {
  const Tensor truth = Tensor::of({3}, std::vector<double>{1, 2, -0.0});
  const Effect exact(truth, {.rule = compare::Allowed::Rule::exact}, DType::f32, 1);
  EXPECT_TRUE(std::isinf(exact.of(f32({1, 2, 0}), f32({1, 3, 0}))));
  EXPECT_EQ(exact.of(f32({1, 2, -0.0}), f32({1, 2, 0})), 0);  // the sign of a zero is nobody's business
  const Effect bits(truth, {.rule = compare::Allowed::Rule::bits}, DType::f32, 1);
  EXPECT_TRUE(std::isinf(bits.of(f32({1, 2, -0.0}), f32({1, 2, 0}))));
  const Effect within(truth, absolute(1), DType::f32, 1);
  EXPECT_TRUE(std::isinf(within.of(f32({1, 2, 0}), f32({1, NAN, 0}))));
}

}  // namespace
}  // namespace plumb::parity::power::effect_test

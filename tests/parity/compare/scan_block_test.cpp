#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "parity/compare/compare.hpp"
#include "parity/core/parallel.hpp"

namespace plumb::parity::scan_block_test {
namespace {

using ir::DType;
using ir::Tensor;
using Rule = compare::Allowed::Rule;

constexpr std::size_t block = 512, count = 40 * block + 77;

/// Numbers of many sizes and what came of them; every 512th is left out, or NaN on both sides: with a NaN in it a block
/// is looked at element by element.
struct Pair {
  Tensor truth, got;
  std::shared_ptr<compare::Limits> limits;
};

template <class T>
Pair numbers(bool with_nan, double error) {
  std::vector<double> y, probable, certain, chance;
  std::vector<T> c;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(i);
    if (i % block == 300) {
      if (!with_nan) continue;
      y.push_back(NAN);
      c.push_back(static_cast<T>(static_cast<float>(NAN)));
      probable.push_back(1);
      certain.push_back(1);
      chance.push_back(1);
      continue;
    }
    y.push_back(i % 7 == 3 ? 0 : std::sin(x) * std::exp2(std::fmod(x, 12) - 9));
    const double off = i % 5 == 0 ? 0 : error * std::cos(3 * x) * (i % 7 == 3 ? 1 : y.back());
    c.push_back(static_cast<T>(static_cast<float>(y.back() + off)));
    probable.push_back(i % 11 == 0 ? 0 : 1e-5 * (std::abs(y.back()) + 1e-4));
    certain.push_back(3 * probable.back());
    chance.push_back(i % 13 == 0 ? 0 : 0.7 * probable.back());
  }
  const ir::Shape shape{static_cast<std::int64_t>(y.size())};
  auto limits =
      std::make_shared<compare::Limits>(compare::Limits{Tensor::of(shape, probable), Tensor::of(shape, certain)});
  if (sizeof(T) == 4)
    limits->chance = Tensor::of(shape, chance);
  else
    limits->fixed = 1e-6;
  return {Tensor::of(shape, y), Tensor::of(shape, c), limits};
}

void expect_same(const compare::Comparison& a, const compare::Comparison& b) {
  EXPECT_EQ(a.n_bad, b.n_bad);
  EXPECT_EQ(a.n_zero_expected, b.n_zero_expected);
  EXPECT_EQ(a.n_exact, b.n_exact);
  EXPECT_EQ(a.constant, b.constant);
  EXPECT_EQ(a.max_abs.value, b.max_abs.value);
  EXPECT_EQ(a.max_rel.value, b.max_rel.value);
  EXPECT_EQ(a.max_ulp.value, b.max_ulp.value);
  EXPECT_EQ(a.ulp_p50, b.ulp_p50);
  EXPECT_EQ(a.ulp_p99, b.ulp_p99);
  EXPECT_EQ(a.ulp_p999, b.ulp_p999);
  EXPECT_EQ(a.ratio_p99, b.ratio_p99);
  EXPECT_EQ(a.expected_absmax, b.expected_absmax);
  EXPECT_EQ(a.ratio_finite, b.ratio_finite);
  EXPECT_EQ(std::isnan(a.ratio_certain), std::isnan(b.ratio_certain));
  EXPECT_EQ(std::isnan(a.ratio_certain) ? 0 : a.ratio_certain, std::isnan(b.ratio_certain) ? 0 : b.ratio_certain);
  EXPECT_EQ(std::isnan(a.sigma_max), std::isnan(b.sigma_max));
  EXPECT_EQ(std::isnan(a.sigma_max) ? 0 : a.sigma_max, std::isnan(b.sigma_max) ? 0 : b.sigma_max);
  EXPECT_EQ(a.hist_ulp, b.hist_ulp);
  EXPECT_EQ(a.hist_ratio, b.hist_ratio);
  ASSERT_EQ(a.worst.size(), b.worst.size());
  for (std::size_t i = 0; i < a.worst.size(); ++i) {
    EXPECT_EQ(a.worst[i].ratio, b.worst[i].ratio);
    EXPECT_EQ(a.worst[i].got, b.worst[i].got);
    EXPECT_EQ(a.worst[i].allowed, b.worst[i].allowed);
  }
  EXPECT_NEAR(a.mean_signed, b.mean_signed, 1e-13 * b.rms);
  EXPECT_NEAR(a.rms, b.rms, 1e-13 * b.rms);
  EXPECT_NEAR(a.cosine, b.cosine, 1e-13);
  EXPECT_NEAR(a.expected_norm1, b.expected_norm1, 1e-13 * b.expected_norm1);
}

template <class T>
class ScanBlock : public ::testing::Test {};
using Types = ::testing::Types<float, ir::f16, ir::bf16>;
TYPED_TEST_SUITE(ScanBlock, Types);

TYPED_TEST(ScanBlock, FindsWhatLookingAtEveryElementFinds) {
  for (const double error : {0.0, 1e-6, 1e-4, 0.3}) {
    SCOPED_TRACE(error);
    const Pair one_by_one = numbers<TypeParam>(true, error), in_blocks = numbers<TypeParam>(false, error);
    for (const compare::Allowed& allowed :
         {compare::Allowed{.rule = Rule::bits}, compare::Allowed{.rule = Rule::exact, .subnormal = 1e-30},
          compare::Allowed{.rule = Rule::rounded}, compare::Allowed{.rule = Rule::within, .ulps = 3, .absolute = 1e-9},
          compare::Allowed{.rule = Rule::within, .relative = 1e-6},
          compare::Allowed{.rule = Rule::within, .of_limits = 2, .lambda = 7, .storage = 0.5, .subnormal = 1e-38}}) {
      compare::Allowed of_one = allowed, of_block = allowed;
      if (allowed.of_limits == 2) {
        of_one.limits = one_by_one.limits;
        of_block.limits = in_blocks.limits;
      }
      expect_same(compare::compare(in_blocks.truth, in_blocks.got, of_block),
                  compare::compare(one_by_one.truth, one_by_one.got, of_one));
    }
  }
}

/// An element that is off by 2 + 3σ where d is 2 has 3 whatever λ is; one beyond a limit without chance is beyond every
/// λ.
TEST(SigmaMax, IsWhatNoLambdaChanges) {
  const auto of = [](double got, double sigma, double lambda) {
    const ir::Shape shape{3};
    auto limits = std::make_shared<compare::Limits>(compare::Limits{
        Tensor::of<double>(shape, {2 + lambda * sigma, 2 + lambda, 2}), Tensor::of<double>(shape, {1e9, 1e9, 1e9})});
    limits->chance = Tensor::of<double>(shape, {lambda * sigma, lambda, 0});
    const compare::Allowed allowed{.rule = Rule::within, .limits = limits, .lambda = lambda};
    return compare::compare(Tensor::of<double>(shape, {10, 20, 30}), Tensor::of<double>(shape, {got, 20, 31}), allowed);
  };
  for (const double lambda : {5.0, 7.0, 9.0}) {
    EXPECT_DOUBLE_EQ(of(12 + 3 * 0.25, 0.25, lambda).sigma_max, 3) << lambda;
    EXPECT_DOUBLE_EQ(of(12 + 8 * 0.25, 0.25, lambda).sigma_max, 8) << lambda;
    EXPECT_EQ(of(12 + 8 * 0.25, 0.25, lambda).agrees(), lambda >= 8);
    EXPECT_DOUBLE_EQ(of(12, 0, lambda).sigma_max, -2) << lambda;  // the second element's (0 - 2) / 1
    EXPECT_TRUE(std::isinf(of(12.5, 0, lambda).sigma_max)) << lambda;
  }
}

TEST(ThreadLimit, ChangesNoBitOfAComparison) {
  const Pair pair = numbers<float>(false, 1e-6);
  const compare::Allowed allowed{.rule = Rule::within, .limits = pair.limits};
  const auto many = compare::compare(pair.truth, pair.got, allowed);
  const core::ThreadLimit one(1);
  const auto alone = compare::compare(pair.truth, pair.got, allowed);
  expect_same(alone, many);
  EXPECT_EQ(alone.mean_signed, many.mean_signed);
  EXPECT_EQ(alone.rms, many.rms);
  EXPECT_EQ(alone.worst.front().index, many.worst.front().index);
}

TEST(ThreadLimit, HoldsWhileItLives) {
  const std::size_t usual = core::workers_for(1000);
  {
    const core::ThreadLimit three(3);
    EXPECT_EQ(core::workers_for(1000), 3u);
    {
      const core::ThreadLimit one(1);
      EXPECT_EQ(core::workers_for(1000), 1u);
    }
    EXPECT_EQ(core::workers_for(1000), 3u);
    EXPECT_EQ(core::workers_for(1), 1u);
  }
  EXPECT_EQ(core::workers_for(1000), usual);
}

}  // namespace
}  // namespace plumb::parity::scan_block_test

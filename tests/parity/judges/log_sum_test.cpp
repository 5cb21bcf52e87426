// The judge of logarithms of sums passes honest results and refuses faulty ones.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/ops/reduce.hpp"
#include "tests/parity/judges/stand_ins.hpp"
#include "tests/support/joint_check.hpp"

namespace plumb::parity::judges::log_sum_test {
namespace {

using namespace plumb::testing;
using ir::Tensor;
using ir::ops::Reduce, ir::ops::ReduceFunction;

constexpr float infinite = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

std::vector<cases::NodeResult> judged_sum(const std::vector<float>& x, float y) {
  const auto n = static_cast<std::int64_t>(x.size());
  return judged(Reduce{ReduceFunction::log_sum, {1}, false}, {Tensor::of<float>({1, n}, x)},
                {Tensor::of<float>({1}, {y})});
}

TEST(JudgeOfLogSums, LeavesAloneWhatMayBeAnything) {
  for (const float y : {-69.0776f, -3.0f, -infinite, nan})
    for (const std::vector<float>& x : {std::vector<float>{1, -1, 1e-30f}, {1e-30f, 1, -1}, {1, -1e-30f, -1}}) {
      const auto results = judged_sum(x, y);
      EXPECT_EQ(finding(results), "") << y;
      EXPECT_EQ(results[0].local.n_apart, 1u) << y;
    }
}

/// Terms whose sums round in no order leave nothing open, not even where they cancel to 0.
TEST(JudgeOfLogSums, HoldsExactSumsToTheirLogarithm) {
  EXPECT_EQ(finding(judged_sum({1, -1, 0x1p-10f}, std::log(0x1p-10f))), "");
  EXPECT_NE(finding(judged_sum({1, -1, 0x1p-10f}, -6.9f)), "");
  EXPECT_EQ(finding(judged_sum({1, -1, 0}, -infinite)), "");
  EXPECT_NE(finding(judged_sum({1, -1, 0}, -20)), "");
  EXPECT_NE(finding(judged_sum({1, -1, 0}, nan)), "");
  EXPECT_EQ(finding(judged_sum({1, -3, 0.3f}, nan)), "");
  EXPECT_NE(finding(judged_sum({1, -3, 0.3f}, 0.5f)), "");
}

TEST(JudgeOfLogSums, SeesWhatIsMissing) {
  std::vector<float> x;
  for (int i = 0; i < 1000; ++i) x.push_back(1 + 0.001f * static_cast<float>(i % 97));
  float sum = 0;
  for (const float one : x) sum += one;
  EXPECT_EQ(finding(judged_sum(x, std::log(sum))), "");
  EXPECT_NE(finding(judged_sum(x, std::log(sum - x[7]))), "");
  EXPECT_NE(finding(judged_sum(x, infinite)), "");
  EXPECT_NE(finding(judged_sum(x, nan)), "");
}

/// An overflow in some order is no fault where the result is infinite.
TEST(JudgeOfLogSums, SetsApartWhatOverflows) {
  const std::vector<float> x = {3e38f, 3e38f, -3e38f};
  EXPECT_EQ(finding(judged_sum(x, infinite)), "");
  EXPECT_EQ(finding(judged_sum(x, std::log(3e38f))), "");
  EXPECT_NE(finding(judged_sum(x, 80)), "");
}

}  // namespace
}  // namespace plumb::parity::judges::log_sum_test

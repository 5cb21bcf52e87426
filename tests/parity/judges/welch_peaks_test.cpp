// Bins that are chosen by means within their limits of each other may be either; peaks are held to the bins that are
// named.
#include "ir/ops/welch_peaks.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/joint_check.hpp"

namespace plumb::parity::judges::welch_peaks_test {
namespace {

using ir::Tensor;

constexpr ir::ops::WelchPeaks op{.k = 2, .fft_length = 7};

/// Three segments whose means in bins 0 to 3 are 1, 2a, 2b and 2c.
std::vector<cases::NodeResult> say(std::array<float, 3> means, std::vector<std::int64_t> bins,
                                   std::vector<float> peaks) {
  std::vector<float> power;
  for (int s = 0; s < 3; ++s) power.insert(power.end(), {1, means[0], means[1], means[2]});
  return testing::judged(op, {Tensor::of<float>({3, 4}, power)},
                         {Tensor::of<std::int64_t>({2}, bins), Tensor::of<float>({2}, peaks)});
}

TEST(Judge, WelchPeaksAreThoseOfTheBinsThatAreNamed) {
  const auto clean = say({5, 7, 3}, {2, 1}, {14, 10});
  EXPECT_TRUE(clean[0].local.agrees()) << clean[0].summary();
  EXPECT_TRUE(clean[1].local.agrees()) << clean[1].summary();
  EXPECT_EQ(clean[0].units.kind, cases::UnitKind::choice);
  EXPECT_EQ(clean[0].units.decisions.free, 0u);
  EXPECT_FALSE(say({5, 7, 3}, {1, 2}, {10, 14})[0].local.agrees());  // out of order
  EXPECT_FALSE(say({5, 7, 3}, {2, 3}, {14, 6})[0].local.agrees());   // one was passed over
  EXPECT_FALSE(say({5, 7, 3}, {2, 2}, {14, 14})[0].local.agrees());  // one twice
  EXPECT_FALSE(say({5, 7, 3}, {2, 4}, {14, 10})[0].local.agrees());  // no bin
  EXPECT_TRUE(say({5, 7, 3}, {2, 4}, {14, 10})[1].local.agrees());
  EXPECT_FALSE(say({5, 7, 3}, {2, 1}, {14, 10 * (1 + 0x1p-18f)})[1].local.agrees());
  EXPECT_FALSE(say({5, 7, 3}, {2, 1}, {7, 5})[1].local.agrees());  // counted once
}

TEST(Conditioning, WelchBinsWithinTheirLimitsMayBeEither) {
  const float next = 5 * (1 + 0x1p-23f), far = 5 * (1 + 0x1p-17f);
  const auto swapped = say({5, next, 3}, {1, 2}, {10, 2 * next});
  EXPECT_TRUE(swapped[0].local.agrees()) << swapped[0].summary();
  EXPECT_TRUE(swapped[1].local.agrees()) << swapped[1].summary();
  EXPECT_EQ(swapped[0].units.decisions.free, 2u);
  EXPECT_FALSE(say({5, far, 3}, {1, 2}, {10, 2 * far})[0].local.agrees());
  // The mean of another bin than the one that is named.
  EXPECT_FALSE(say({5, far, 3}, {2, 1}, {10, 2 * far})[1].local.agrees());
}

/// Three segments of 1.2e38 add up beyond f32, which their mean is not, nor twice that.
TEST(Judge, WelchPeaksOfALineThatOverflowsAreNotJudged) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto apart = say({1.2e38f, 7, 3}, {1, 2}, {infinity, 14});
  EXPECT_TRUE(apart[0].local.agrees()) << apart[0].summary();
  EXPECT_TRUE(apart[1].local.agrees()) << apart[1].summary();
  EXPECT_FALSE(say({1e38f, 7, 3}, {1, 2}, {infinity, 14})[1].local.agrees());  // 3e38 is in the range
  EXPECT_FALSE(say({1.2e38f, 7, 3}, {1, 2}, {1e38f, 14})[1].local.agrees());   // no overflow gives that
}

}  // namespace
}  // namespace plumb::parity::judges::welch_peaks_test

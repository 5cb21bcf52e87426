// Strongest bins of averaged periodograms: places and means by hand, ties, what is not finite, and what the judge sees.
#include "ir/ops/welch_peaks.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "parity/compare/compare.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/joint_check.hpp"

namespace plumb::welch_peaks_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::WelchPeaks;

/// Numbers of which no mean is rounded: NaN meets NaN, and all else is equal.
void expect(ir::Executor& executor, const WelchPeaks& op, const Tensor& power, const std::vector<Tensor>& expected) {
  const std::vector<Tensor> got = ir::run_op(executor, op, {power});
  for (std::size_t k = 0; k < 2; ++k) {
    ASSERT_EQ(got[k].type(), expected[k].type());
    const auto compared =
        parity::compare::compare(expected[k], got[k], {.rule = parity::compare::Allowed::Rule::exact});
    EXPECT_TRUE(compared.agrees()) << executor.name() << ", output " << k << ": " << parity::compare::summary(compared);
  }
}

void both(const WelchPeaks& op, const Tensor& power, const Tensor& bins, const Tensor& peaks) {
  ref_cpu::CpuExecutor cpu;
  expect(cpu, op, power, {bins, peaks});
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  expect(*testing::gpu().executor, op, power, {bins, peaks});
}

/// ops.md K.3.
TEST(WelchPeaks, ByHand) {
  const Tensor power = Tensor::of<float>({2, 3}, {4, 1, 4, 2, 3, 0});
  both({.k = 2, .fft_length = 4}, power, Tensor::of<std::int64_t>({2}, {1, 0}), Tensor::of<float>({2}, {4, 3}));
  both({.k = 2, .fft_length = 5}, power, Tensor::of<std::int64_t>({2}, {1, 2}), Tensor::of<float>({2}, {4, 4}));
}

TEST(WelchPeaks, TiesNaNAndInfinities) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const WelchPeaks all{.k = 4, .fft_length = 7, .index_dtype = DType::i32};
  both(all, Tensor::of<float>({1, 4}, {2, 1, 1, 1}), Tensor::of<std::int32_t>({4}, {0, 1, 2, 3}),
       Tensor::of<float>({4}, {2, 2, 2, 2}));
  both(all, Tensor::of<float>({1, 4}, {1, inf, nan, -inf}), Tensor::of<std::int32_t>({4}, {2, 1, 0, 3}),
       Tensor::of<float>({4}, {nan, inf, 1, -inf}));
  both({.k = 1, .fft_length = 1}, Tensor::of<float>({3, 2, 1}, {1, 3, -1, 5, 0, 0}),
       Tensor::of<std::int64_t>({3, 1}, {0, 0, 0}), Tensor::of<float>({3, 1}, {2, 2, 0}));
}

/// Peaks of 16 bits are chosen before they are rounded: 2048 + 1/2 is more than 2048, which both become.
TEST(WelchPeaks, MeansAreRoundedOnceTheyAreChosen) {
  const Tensor power = ir::convert(Tensor::of<float>({2, 3}, {2048, 1024, 0, 2048, 1025, 0}), DType::f16);
  both({.k = 1, .fft_length = 5}, power, Tensor::of<std::int64_t>({1}, {1}),
       ir::convert(Tensor::of<float>({1}, {2048}), DType::f16));
}

/// Where means are far apart every honest kernel finds the same bins, in every dtype and by selection and sorting.
TEST(WelchPeaks, EveryDtypeFindsTheBins) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64})
    for (const auto& [shape, k] : {std::pair{ir::Shape{2, 3, 9}, 9},
                                   {ir::Shape{3, 2, 5, 129}, 7},
                                   {ir::Shape{1, 65}, 64},
                                   {ir::Shape{300, 33}, 4}}) {
      Tensor power({DType::f64, shape});
      const std::int64_t bins = shape.back(), segments = shape[shape.size() - 2];
      for (std::int64_t i = 0; i < power.elements(); ++i) {
        const std::int64_t j = i % bins, s = i / bins % segments, row = i / bins / segments;
        const std::int64_t place = (j * 7 + row) % bins;  // 7 shares no factor with the numbers of bins
        power.as<double>()[static_cast<std::size_t>(i)] =
            static_cast<double>((1 + place) * (s % 2 == 0 ? 3 : 1)) / (j == 0 ? 1 : 2);
      }
      testing::check_jointly(WelchPeaks{.k = k, .fft_length = 2 * bins - 1}, {ir::convert(power, dtype)});
    }
}

TEST(WelchPeaks, EmptyBatches) {
  both({.k = 2, .fft_length = 4}, Tensor({DType::f32, {0, 5, 3}}), Tensor({DType::i64, {0, 2}}),
       Tensor({DType::f32, {0, 2}}));
}

}  // namespace
}  // namespace plumb::welch_peaks_test

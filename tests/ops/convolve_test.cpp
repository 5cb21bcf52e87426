// Convolution of lines against its definition: tiles and pieces of every size, filters longer than lines, what is not
// finite.
#include "ir/ops/convolve.hpp"

#include <gtest/gtest.h>

#include "tests/support/op_check.hpp"

namespace plumb::convolve_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Convolve;

void check_noise(DType dtype, const ir::Shape& x, std::int64_t taps) {
  testing::check_op(Convolve{}, {testing::random_tensor({dtype, x}, 1), testing::random_tensor({dtype, {taps}}, 2)});
}

TEST(Convolve, EveryDtypeInTilesAndSampleBySample) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    check_noise(dtype, {3, 2, 19}, 7);
    check_noise(dtype, {2, 1500}, 300);
  }
}

TEST(Convolve, SizesOfEveryKind) {
  check_noise(DType::f32, {1}, 1);
  check_noise(DType::f32, {5, 1}, 3);
  check_noise(DType::f32, {101}, 28);     // the longest of short lines
  check_noise(DType::f32, {2, 102}, 28);  // one sample more
  check_noise(DType::f32, {2, 3}, 1023);  // a filter that is longer than the line
  check_noise(DType::f32, {1, 700}, 700);
  check_noise(DType::f32, {3, 1024}, 1);
  check_noise(DType::f32, {2, 2048}, 257);  // a piece and a tap
  check_noise(DType::f32, {2, 769}, 256);   // a tile exactly
  check_noise(DType::f32, {1, 770}, 256);
}

void both(const std::vector<Tensor>& in, const Tensor& expected) {
  testing::check_cpu(Convolve{}, in, {expected});
  testing::check_gpu(Convolve{}, in, {expected});
}

/// ops.md K.3, and lines that share nothing.
TEST(Convolve, ByHand) {
  both({Tensor::of<float>({3}, {1, 2, 3}), Tensor::of<float>({3}, {0, 1, 0.5})},
       Tensor::of<float>({5}, {0, 1, 2.5, 4, 1.5}));
  both({Tensor::of<float>({1}, {3}), Tensor::of<float>({1}, {-2})}, Tensor::of<float>({1}, {-6}));
  both({Tensor::of<float>({2, 2}, {1, 2, 10, 20}), Tensor::of<float>({2}, {1, -1})},
       Tensor::of<float>({2, 3}, {1, 1, -2, 10, 10, -20}));
  both({Tensor({DType::f16, {0, 5}}), Tensor({DType::f16, {2}})}, Tensor({DType::f16, {0, 6}}));
}

/// Direct sums keep what is not finite to the samples that it meets, and to its line; taps that meet nothing add
/// nothing.
TEST(Convolve, WhatIsNotFiniteStaysWhereItMeets) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  both({Tensor::of<float>({2, 4}, {1, nan, 2, 3, 1, 1, 1, -inf}), Tensor::of<float>({2}, {1, 2})},
       Tensor::of<float>({2, 5}, {1, nan, nan, 7, 6, 1, 3, 3, -inf, -inf}));
  both({Tensor::of<float>({3}, {1, 2, 0}), Tensor::of<float>({2}, {inf, 1})},
       Tensor::of<float>({4}, {inf, inf, nan, 0}));
  // In tiles as well: a line of 600 samples, whose filter ends with an infinity.
  std::vector<float> ones(600, 1), taps(40, 0), sums(639, 0);
  taps[39] = inf;
  for (std::size_t n = 0; n < sums.size(); ++n) sums[n] = n < 39 ? 0.0f : inf;
  both({Tensor::of<float>({600}, ones), Tensor::of<float>({40}, taps)}, Tensor::of<float>({639}, sums));
}

/// Samples that rise and fall, against a filter of one sign, are held to their own terms, in the order of the kernel.
TEST(Convolve, WavesAreWithinTheirOwnLimits) {
  std::vector<float> wave;
  for (int t = 0; t < 1500; ++t) wave.push_back(t / 75 % 2 == 0 ? 1.1f : -0.9f);
  const Tensor x = Tensor::of<float>({1500}, wave), h = Tensor::of<float>({600}, std::vector<float>(600, 0.3f));
  testing::check_op(Convolve{}, {x, h});
}

}  // namespace
}  // namespace plumb::convolve_test

// Log-mel spectrograms against the definition: both maxima, silence, loud frames, what is not finite or below 0.
#include "ir/ops/log_mel.hpp"

#include <gtest/gtest.h>

#include "tests/support/op_check.hpp"

namespace plumb::log_mel_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::LogMel;
using ir::ops::MelMaximum;

constexpr LogMel by_frame{MelMaximum::frame};

/// Power from 2^-20 to 2^20, and triangles that overlap as mel filters do.
std::vector<Tensor> operands_of(DType dtype, const ir::Shape& power, std::int64_t bands) {
  Tensor x = testing::random_tensor({DType::f64, power}, 1), filters({DType::f64, {bands, power.back()}});
  for (double& one : x.as<double>()) one = std::exp2(5 * one);
  const double step = static_cast<double>(power.back()) / static_cast<double>(bands + 1);
  for (std::int64_t m = 0; m < bands; ++m)
    for (std::int64_t j = 0; j < power.back(); ++j)
      filters.as<double>()[static_cast<std::size_t>(m * power.back() + j)] =
          std::max(0.0, 1 - std::abs(static_cast<double>(j + 1) / step - static_cast<double>(m + 1)));
  return {ir::convert(x, dtype), ir::convert(filters, dtype)};
}

TEST(LogMel, EveryDtypeByBothMaxima) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64})
    for (const LogMel& op : {LogMel{}, by_frame}) testing::check_op(op, operands_of(dtype, {2, 7, 33}, 12));
}

TEST(LogMel, SizesOfEveryKind) {
  testing::check_op(LogMel{}, operands_of(DType::f32, {1, 1}, 1));
  testing::check_op(LogMel{}, operands_of(DType::f32, {3, 5, 1, 17}, 80));
  testing::check_op(LogMel{}, operands_of(DType::f32, {131, 65}, 37));  // a maximum over more than a stretch
  testing::check_op(by_frame, operands_of(DType::f32, {67, 129}, 80));
  testing::check_op(by_frame, operands_of(DType::f32, {2, 5}, 4099));
}

void both(const LogMel& op, const std::vector<Tensor>& in, const Tensor& expected) {
  testing::check_cpu(op, in, {expected});
  testing::check_gpu(op, in, {expected});
}

/// ops.md K.3.
TEST(LogMel, SilenceAndOneLoudBand) {
  const Tensor filters = Tensor::of<float>({2, 2}, {1, 0, 0, 1});
  const Tensor silence({DType::f32, {3, 2}}), floor = Tensor::of<float>({3, 2}, std::vector<float>(6, -1.5f));
  both({}, {silence, filters}, floor);
  both(by_frame, {silence, filters}, floor);
  const Tensor loud = Tensor::of<float>({2, 2}, {0, 1, 0, 0});
  both({}, {loud, filters}, Tensor::of<float>({2, 2}, {-1, 1, -1, -1}));
  both(by_frame, {loud, filters}, Tensor::of<float>({2, 2}, {-1, 1, -1.5, -1.5}));
}

/// Maxima are those of one spectrogram, or of one frame, and a NaN is one in all that share it.
TEST(LogMel, ANaNIsOneInAllThatShareItsMaximum) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const Tensor filters = Tensor::of<float>({2, 2}, {1, 0, 1, 1});
  const Tensor power = Tensor::of<float>({2, 2, 2}, {nan, 1, 1, 0, 1, 99, 1, 0});
  both({}, {power, filters}, Tensor::of<float>({2, 2, 2}, {nan, nan, nan, nan, 1, 1.5, 1, 1}));
  both(by_frame, {power, filters}, Tensor::of<float>({2, 2, 2}, {nan, nan, 1, 1, 1, 1.5, 1, 1}));
  const Tensor one = Tensor::of<float>({1, 1}, {1});
  both({}, {Tensor::of<float>({2, 1}, {inf, 1}), one}, Tensor::of<float>({2, 1}, {inf, inf}));
  both(by_frame, {Tensor::of<float>({3, 1}, {-inf, -5, 0}), one}, Tensor::of<float>({3, 1}, {-1.5, -1.5, -1.5}));
}

TEST(LogMel, FloorAndRangeAreAttributes) {
  const Tensor one = Tensor::of<float>({1, 1}, {1});
  both(LogMel{.floor = 0.01, .range = 3}, {Tensor::of<float>({3, 1}, {100, 1, 0}), one},
       Tensor::of<float>({3, 1}, {1.5, 1, 0.75}));
}

/// Equal power and weights: sums that creep, of the largest band and of those below it.
TEST(LogMel, EqualTermsAreWithinTheirOwnLimits) {
  const std::vector<float> weights(2 * 2000, 0.1f);
  std::vector<float> power(3 * 2000, 0.3f);
  std::fill(power.begin(), power.begin() + 2000, 1e-9f);
  for (const LogMel& op : {LogMel{}, by_frame})
    testing::check_op(op, {Tensor::of<float>({3, 2000}, power), Tensor::of<float>({2, 2000}, weights)});
}

TEST(LogMel, NothingToAdd) {
  both({}, {Tensor({DType::f32, {2, 0}}), Tensor({DType::f32, {3, 0}})},
       Tensor::of<float>({2, 3}, std::vector<float>(6, -1.5f)));
  both({}, {Tensor({DType::f16, {0, 2, 4}}), Tensor({DType::f16, {3, 4}})}, Tensor({DType::f16, {0, 2, 3}}));
}

}  // namespace
}  // namespace plumb::log_mel_test

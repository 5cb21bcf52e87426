// Quantisers that find their scale, against their judge on both executors.
#include "ir/ops/dynamic_quantize_linear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "tests/support/joint_check.hpp"

namespace plumb::dynamic_quantize_linear_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::DynamicQuantizeLinear;
using testing::check_jointly;
using testing::random_tensor;

TEST(DynamicQuantizeLinear, EveryDtypeAndRange) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64})
    for (const ir::Shape& shape : {ir::Shape{}, {7}, {3, 31}, {2, 5, 1031}})
      for (const double middle : {0.0, 3.0, -40.0}) {
        SCOPED_TRACE(ir::cat(dtype, " ", shape, " around ", middle));
        const ir::Fill around{.distribution = ir::Distribution::normal, .mean = middle};
        check_jointly(DynamicQuantizeLinear{}, {random_tensor({dtype, shape}, 1, around)});
      }
}

TEST(DynamicQuantizeLinear, SpecialValues) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto check = [&](const std::vector<float>& x, float scale) {
    for (const DType dtype : {DType::f16, DType::f32, DType::f64}) {
      const std::vector<Tensor> in = {ir::convert(Tensor::of<float>({3}, x), dtype)};
      const DType computed = dtype == DType::f64 ? DType::f64 : DType::f32;
      const std::vector<Tensor> out = {Tensor::of<std::uint8_t>({3}, {0, 0, 0}),
                                       ir::convert(Tensor::of<float>({}, {scale}), computed),
                                       Tensor::of<std::uint8_t>({}, {0})};
      testing::check_cpu(DynamicQuantizeLinear{}, in, out);
      testing::check_gpu(DynamicQuantizeLinear{}, in, out);
    }
  };
  check({0, -0.0f, 0}, 1);
  check({1, nan, -1}, nan);
  check({inf, 1, nan}, nan);
  check({inf, 1, 2}, inf);
  check({-inf, 1, 2}, inf);
}

/// A width beyond the range of f32 gives an infinite scale, as IEEE 754 adds.
TEST(DynamicQuantizeLinear, WidthBeyondTheRange) {
  const std::vector<Tensor> in = {Tensor::of<float>({2}, {3e38f, -3e38f})};
  const std::vector<Tensor> out = {Tensor::of<std::uint8_t>({2}, {0, 0}),
                                   Tensor::of<float>({}, {std::numeric_limits<float>::infinity()}),
                                   Tensor::of<std::uint8_t>({}, {0})};
  testing::check_cpu(DynamicQuantizeLinear{}, in, out);
  testing::check_gpu(DynamicQuantizeLinear{}, in, out);
  EXPECT_EQ(testing::complaint_of(testing::judged(DynamicQuantizeLinear{}, in, out)), "");
}

/// The scale of such small numbers is rounded to 0. What 0 is over it is NaN, which has the code of 0.
TEST(DynamicQuantizeLinear, ScalesThatAreRoundedToZero) {
  constexpr float least = std::numeric_limits<float>::denorm_min();
  const std::vector<Tensor> in = {Tensor::of<float>({3}, {-least, 0, least})};
  const std::vector<Tensor> out = {Tensor::of<std::uint8_t>({3}, {0, 255, 255}), Tensor::of<float>({}, {0}),
                                   Tensor::of<std::uint8_t>({}, {255})};
  testing::check_cpu(DynamicQuantizeLinear{}, in, out);
  EXPECT_EQ(testing::complaint_of(testing::judged(DynamicQuantizeLinear{}, in, out)), "");
}

TEST(Judge, FoundScalesDecideTheCodes) {
  const std::vector<Tensor> in = {Tensor::of<float>({4}, {-1, 0.31f, 2, 1.234f})};
  const auto quantized = [&](float scale, std::optional<std::uint8_t> zero = {}) {
    const float at = std::nearbyint(1 / scale);
    std::vector<std::uint8_t> codes;
    for (const float x : in[0].as<float>())
      codes.push_back(static_cast<std::uint8_t>(std::clamp(std::nearbyint(x / scale) + at, 0.0f, 255.0f)));
    return std::vector<Tensor>{Tensor::of<std::uint8_t>({4}, codes), Tensor::of<float>({}, {scale}),
                               Tensor::of<std::uint8_t>({}, {zero.value_or(static_cast<std::uint8_t>(at))})};
  };
  const auto say = [&](const std::vector<Tensor>& outputs) {
    return testing::complaint_of(testing::judged(DynamicQuantizeLinear{}, in, outputs));
  };
  const float scale = 3.0f / 255;
  EXPECT_EQ(say(quantized(scale)), "");
  EXPECT_EQ(say(quantized(scale * (1 + 0x1p-23f))), "") << "an ulp off, and codes by that";
  EXPECT_NE(say(quantized(scale * (1 + 0x1p-20f))), "") << "a scale that is off";
  EXPECT_NE(say(quantized(scale, std::uint8_t{84})), "") << "a zero point that is off, and codes by another";
  auto codes = quantized(scale);
  codes[0].as<std::uint8_t>()[1] += 1;
  EXPECT_NE(say(codes), "");
}

}  // namespace
}  // namespace plumb::dynamic_quantize_linear_test

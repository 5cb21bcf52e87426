// Quantising and dequantising in reals on both executors, and the judge of its codes.
#include "ir/ops/fake_quantize.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ir/graph.hpp"
#include "tests/support/joint_check.hpp"
#include "tests/support/samples.hpp"

namespace plumb::fake_quantize_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::FakeQuantize;
using testing::check_jointly;
using testing::complaint_of;
using testing::judged;
using testing::random_tensor;

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

TEST(FakeQuantize, EveryDtypeAndScale) {
  const ir::Fill wide{.distribution = ir::Distribution::normal, .scale = 30};
  const ir::Fill scales{.distribution = ir::Distribution::uniform, .low = 0.1, .high = 0.7};
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    SCOPED_TRACE(ir::info(dtype).name);
    const Tensor x = random_tensor({dtype, {3, 5, 68}}, 1, wide);
    for (const std::int64_t axis : {0, 1, -1}) {
      const Shape channels = {x.shape()[x.shape().axis(axis)]};
      const Tensor scale = random_tensor({dtype, channels}, 2, scales);
      check_jointly(FakeQuantize{.axis = axis}, {x, scale});
      check_jointly(FakeQuantize{.axis = axis, .q_min = 0, .q_max = 15, .has_zero_point = true},
                    {x, scale, random_tensor({DType::i32, channels}, 3)});
    }
    const Tensor one = random_tensor({dtype, {}}, 4, scales);
    check_jointly(FakeQuantize{}, {random_tensor({dtype, {}}, 5), one});
    check_jointly(FakeQuantize{}, {random_tensor({dtype, {0, 3}}, 5), one});
  }
}

/// The numbers that an output is held to, bit by bit.
void expect_equal(const FakeQuantize& op, const std::vector<Tensor>& in, const std::vector<float>& y) {
  const testing::JointCheck found = check_jointly(op, in, testing::Data::ill_conditioned);
  for (const std::vector<Tensor>* outputs : {&found.cpu, &found.gpu}) {
    if (outputs->empty()) continue;
    const Tensor got = ir::convert(outputs->front(), DType::f32);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const float c = got.as<float>()[i];
      EXPECT_TRUE(c == y[i] || (c != c && y[i] != y[i])) << i << ": " << c << " for " << y[i];
    }
  }
}

TEST(FakeQuantize, TiesAreEvenAndEndsClamp) {
  const auto x = Tensor::of<float>({8}, {0.25f, 0.75f, 10, -10, -0.25f, -0.75f, nan, -inf});
  const auto scale = Tensor::of<float>({}, {0.5f});
  const FakeQuantize op{.q_min = -4, .q_max = 3};
  const std::vector<float> y = {0, 1, 1.5f, -2, 0, -1, 0, -2};
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64})
    expect_equal(op, {ir::convert(x, dtype), ir::convert(scale, dtype)}, y);
  const auto zero = Tensor::of<std::int32_t>({}, {3});
  expect_equal({.q_min = -4, .q_max = 3, .has_zero_point = true}, {x, scale, zero}, {0, 0, 0, -3.5f, 0, -1, 0, -3.5f});
}

TEST(FakeQuantize, CodesThatFloatsRound) {
  const auto x = Tensor::of<float>({4}, {3e9f, -3e9f, 16777216, -1}), scale = Tensor::of<float>({}, {1});
  const auto zero = Tensor::of<std::int32_t>({}, {-2147483647});
  const FakeQuantize op{.q_min = -2147483648LL, .q_max = 2147483647, .has_zero_point = true};
  expect_equal(op, {x, scale, zero}, {3e9f, -1, 16777216, -1});
}

TEST(FakeQuantize, ScalesThatAreNone) {
  const auto x = Tensor::of<float>({5}, {nan, inf, 0, 2, -inf});
  expect_equal({}, {x, Tensor::of<float>({}, {0})}, {0, 0, 0, 0, 0});
  expect_equal({}, {x, Tensor::of<float>({}, {nan})}, {nan, nan, nan, nan, nan});
  expect_equal({}, {x, Tensor::of<float>({}, {inf})}, {nan, nan, nan, nan, nan});
  expect_equal({}, {x, Tensor::of<float>({}, {-0.5f})}, {0, 64, 0, 2, -63.5f});
}

/// One element of many: a code one off, and a real that no code has.
TEST(Conditioning, CodesOfFakeQuantizeShowInTheirReals) {
  const auto x = Tensor::of<float>({4}, {0.3f, 0.45f, 1.05f, 12}), scale = Tensor::of<float>({}, {0.3f});
  const FakeQuantize op{.q_min = -8, .q_max = 7};
  const float s = 0.3f;
  const auto says = [&](std::vector<float> y) {
    return complaint_of(judged(op, {x, scale}, {Tensor::of<float>({4}, std::move(y))}));
  };
  EXPECT_EQ(says({s, 2 * s, 4 * s, 7 * s}), "");  // 0.45/0.3 and 1.05/0.3 are within a roundoff of ties
  EXPECT_EQ(says({s, s, 3 * s, 7 * s}), "");
  EXPECT_NE(says({2 * s, 2 * s, 4 * s, 7 * s}), "");
  EXPECT_NE(says({s, 3 * s, 4 * s, 7 * s}), "");
  EXPECT_NE(says({s, 2 * s, 4 * s, 8 * s}), "");
  EXPECT_NE(says({s, 2 * s, 4 * s, 7 * s * (1 + 0x1p-22f)}), "");
  EXPECT_NE(says({s, 1.5f * s, 4 * s, 7 * s}), "");
}

/// A scale that is a power of two leaves ties no choice.
TEST(Conditioning, TiesOfFakeQuantizeByPowersOfTwoAreEven) {
  const auto x = Tensor::of<float>({2}, {0.75f, 3}), scale = Tensor::of<float>({}, {0.5f});
  const auto says = [&](float y) {
    return complaint_of(judged(FakeQuantize{}, {x, scale}, {Tensor::of<float>({2}, {y, 3})}));
  };
  EXPECT_EQ(says(1), "");
  EXPECT_NE(says(0.5f), "");
}

/// A product of 16 bits may be rounded to f32 before, and several codes may have one real.
TEST(Conditioning, RealsOfFakeQuantizeThatSeveralCodesShare) {
  const auto x = ir::convert(Tensor::of<float>({1}, {300.6f}), DType::bf16);
  const auto scale = ir::convert(Tensor::of<float>({}, {1.0078125f}), DType::bf16);
  const FakeQuantize op{.q_min = -1000, .q_max = 1000};
  const auto says = [&](float y) {
    return complaint_of(judged(op, {x, scale}, {ir::convert(Tensor::of<float>({1}, {y}), DType::bf16)}));
  };
  EXPECT_EQ(says(300), "");
  EXPECT_NE(says(304), "");
}

}  // namespace
}  // namespace plumb::fake_quantize_test

// The judge of quantisers passes right codes and either one beside a tie, and refuses all others.
#include "ir/ops/quantize_linear.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/joint_check.hpp"

namespace plumb::parity::judges::quantize_linear_test {
namespace {

using ir::Tensor;
using ir::kernels::CodeFormat;
using ir::ops::QuantizeLinear;
using ::testing::HasSubstr;

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

/// Codes of some numbers over one scale.
struct Codes {
  QuantizeLinear op;
  std::vector<float> x;
  float scale = 1;

  std::vector<cases::NodeResult> judged(const std::vector<int>& codes, bool on_gpu = false) const {
    const auto count = static_cast<std::int64_t>(x.size());
    const Tensor wide = Tensor::of<std::int32_t>({count}, {codes.begin(), codes.end()});
    return testing::judged(op, {Tensor::of<float>({count}, x), Tensor::of<float>({}, {scale})},
                           {ir::convert(wide, op.dtype)}, on_gpu);
  }
  std::string say(const std::vector<int>& codes) const { return testing::complaint_of(judged(codes)); }
};

TEST(Judge, CodesOffByOneFail) {
  const Codes codes{{}, {1.2f, -3.7f, 100, 1e9f, -1e9f, nan}, 0.5f};
  EXPECT_EQ(codes.say({2, -7, 127, 127, -128, 0}), "");
  EXPECT_THAT(codes.say({2, -8, 127, 127, -128, 0}), HasSubstr("code at element 1"));
  EXPECT_NE(codes.say({2, -7, 126, 127, -128, 0}), "") << "beyond the end is the end";
  EXPECT_NE(codes.say({2, -7, 127, -128, -128, 0}), "") << "wrapped around";
  EXPECT_NE(codes.say({2, -7, 127, 127, -128, 1}), "") << "of a NaN";
}

TEST(Conditioning, CodesBesideATieAreFreeUnlessTheScaleIsAPowerOfTwo) {
  Codes codes{{}, {0.25f, 0.75f, 3}, 0.5f};
  EXPECT_EQ(codes.say({0, 2, 6}), "");
  EXPECT_NE(codes.say({1, 2, 6}), "") << "0.5, rounded away from zero";
  codes.scale = 0.1f;
  codes.x = {0.05f, 0.15f, 3};
  for (const int first : {0, 1})
    for (const int second : {1, 2}) EXPECT_EQ(codes.say({first, second, 30}), "");
  const auto found = codes.judged({1, 2, 30});
  EXPECT_LE(found[0].telling.informative, 1u);
  EXPECT_NE(codes.say({0, 1, 31}), "");
}

TEST(Judge, CodesOfFewBitsStayInTheirRange) {
  const Codes four{{.bits = 4}, {20, -20, 3}};
  EXPECT_EQ(four.say({7, -8, 3}), "");
  EXPECT_NE(four.say({20, -20, 3}), "");
  EXPECT_NE(four.say({8, -8, 3}), "");
}

TEST(Judge, FloatCodesAreHeldToTheMidpoints) {
  Codes e4m3{{.dtype = ir::DType::u8, .code = CodeFormat::e4m3}, {1, -1.07f, 1.0625f, 500, 0, nan, -inf}};
  EXPECT_EQ(e4m3.say({56, 185, 56, 126, 0, 127, 254}), "");
  EXPECT_EQ(e4m3.say({56, 185, 56, 126, 128, 255, 254}), "") << "zeros and NaNs of either sign";
  EXPECT_NE(e4m3.say({57, 185, 56, 126, 0, 127, 254}), "") << "the next code";
  EXPECT_NE(e4m3.say({56, 57, 56, 126, 0, 127, 254}), "") << "the other sign";
  EXPECT_NE(e4m3.say({56, 185, 57, 126, 0, 127, 254}), "") << "a tie";
  EXPECT_NE(e4m3.say({56, 185, 56, 127, 0, 127, 254}), "") << "beyond the largest";
  EXPECT_NE(e4m3.say({56, 185, 56, 126, 0, 126, 254}), "") << "of a NaN";
  e4m3.op.saturate = false;
  EXPECT_EQ(e4m3.say({56, 185, 56, 127, 0, 127, 255}), "");
  EXPECT_NE(e4m3.say({56, 185, 56, 126, 0, 127, 255}), "");
  e4m3.scale = 0.7f;
  e4m3.x = {0.7f * 1.0625f};
  for (const int code : {56, 57}) EXPECT_EQ(e4m3.say({code}), "") << "a tie of a quotient that is rounded";
  EXPECT_NE(e4m3.say({58}), "");
}

TEST(Judge, FourBitFloatsHaveNoOtherCodes) {
  const Codes e2m1{{.dtype = ir::DType::u8, .code = CodeFormat::e2m1}, {0.6f, -7, nan}};
  EXPECT_EQ(e2m1.say({1, 15, 7}), "");
  EXPECT_NE(e2m1.say({1, 31, 7}), "") << "a bit above the sign";
  EXPECT_NE(e2m1.say({2, 15, 7}), "");
}

/// A device may take a subnormal scale for 0, and then nothing is known of the code; a number that vanishes is 0.
TEST(Judge, CodesOfNumbersThatMayVanish) {
  Codes codes{{}, {3e-40f, 2e-38f, 1}, 1e-40f};
  EXPECT_EQ(testing::complaint_of(codes.judged({127, 0, -5}, true)), "");
  EXPECT_NE(testing::complaint_of(codes.judged({127, 0, -5})), "");
  codes.scale = 1.5e-38f;
  codes.x = {0.9e-38f, 3e-38f, 6e-38f};
  for (const int code : {0, 1}) EXPECT_EQ(testing::complaint_of(codes.judged({code, 2, 4}, true)), "");
  EXPECT_NE(testing::complaint_of(codes.judged({0, 2, 4})), "");
}

}  // namespace
}  // namespace plumb::parity::judges::quantize_linear_test

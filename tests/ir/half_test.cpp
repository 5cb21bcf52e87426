#include "ir/half.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::ir::half_test {
namespace {

TEST(F16, EveryCodeSurvivesTheWayToDoubleAndBack) {
  for (unsigned code = 0; code < 0x10000; ++code) {
    const auto x = f16::from_bits(static_cast<std::uint16_t>(code));
    const double value(x);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(double(f16(value)))) << code;
    else
      EXPECT_EQ(f16(value).bits, x.bits) << code;
  }
}

TEST(Bf16, EveryCodeSurvivesTheWayToDoubleAndBack) {
  for (unsigned code = 0; code < 0x10000; ++code) {
    const auto x = bf16::from_bits(static_cast<std::uint16_t>(code));
    const double value(x);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(double(bf16(value)))) << code;
    else
      EXPECT_EQ(bf16(value).bits, x.bits) << code;
  }
}

TEST(F16, RoundsTiesToEvenAndJustBeyondThemAway) {
  EXPECT_EQ(double(f16(2049.0)), 2048);  // spacing 2 from here on
  EXPECT_EQ(double(f16(2051.0)), 2052);
  EXPECT_EQ(double(f16(std::nextafter(2049.0, 3000))), 2050);
}

TEST(F16, OverflowsAtHalfASpacingBeyondTheLargest) {
  EXPECT_EQ(double(f16(65519.996)), 65504);
  EXPECT_EQ(double(f16(65520.0)), INFINITY);
  EXPECT_EQ(double(f16(-65520.0)), -INFINITY);
}

TEST(F16, RoundsSubnormalsOnceFromDouble) {
  EXPECT_EQ(double(f16(0x1p-24)), 0x1p-24);
  EXPECT_EQ(double(f16(0x1p-25)), 0);  // a tie, to even
  EXPECT_EQ(double(f16(std::nextafter(0x1p-25, 1))), 0x1p-24);
  EXPECT_TRUE(std::signbit(double(f16(-0x1p-60))));
}

/// Floats of every exponent and sign: a prime step over their codes.
template <class Check>
void for_many_floats(Check check) {
  for (std::uint64_t code = 0; code < std::uint64_t{1} << 32; code += 509)
    check(std::bit_cast<float>(static_cast<std::uint32_t>(code)));
}

TEST(F16, RoundsAFloatAsItRoundsADouble) {
  for_many_floats([](float x) { ASSERT_EQ(f16(x).bits, f16(static_cast<double>(x)).bits) << x; });
  for (unsigned code = 0; code < 0x7C00; ++code) {  // every tie, and both sides of it
    const double low(f16::from_bits(static_cast<std::uint16_t>(code)));
    const double high(code == 0x7BFF ? 65536.0 : double(f16::from_bits(static_cast<std::uint16_t>(code + 1))));
    const auto tie = static_cast<float>((low + high) / 2);
    for (const float x : {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, 1e9f), -tie})
      ASSERT_EQ(f16(x).bits, f16(static_cast<double>(x)).bits) << x;
  }
}

TEST(F16, EveryCodeHasTheValueOfItsFields) {
  for (unsigned code = 0; code < 0x7C00; ++code) {
    const int exponent = static_cast<int>(code >> 10), fraction = static_cast<int>(code & 0x3FF);
    const double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    ASSERT_EQ(double(f16::from_bits(static_cast<std::uint16_t>(code))), value);
    ASSERT_EQ(double(f16::from_bits(static_cast<std::uint16_t>(code | 0x8000))), -value);
  }
  EXPECT_EQ(double(f16::from_bits(0xFC00)), -INFINITY);
  EXPECT_TRUE(std::isnan(double(f16::from_bits(0x7C01))));
}

TEST(Bf16, RoundsAFloatAsItRoundsADouble) {
  for_many_floats([](float x) { ASSERT_EQ(bf16(x).bits, bf16(static_cast<double>(x)).bits) << x; });
}

}  // namespace
}  // namespace plumb::ir::half_test

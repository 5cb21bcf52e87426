#include "ir/half.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::ir {
namespace {

TEST(F16, EveryCodeSurvivesTheWayToDoubleAndBack) {
  for (unsigned code = 0; code < 0x10000; ++code) {
    const auto x = f16::from_bits(static_cast<std::uint16_t>(code));
    const double value(x);
    if (std::isnan(value)) EXPECT_TRUE(std::isnan(double(f16(value)))) << code;
    else EXPECT_EQ(f16(value).bits, x.bits) << code;
  }
}

TEST(Bf16, EveryCodeSurvivesTheWayToDoubleAndBack) {
  for (unsigned code = 0; code < 0x10000; ++code) {
    const auto x = bf16::from_bits(static_cast<std::uint16_t>(code));
    const double value(x);
    if (std::isnan(value)) EXPECT_TRUE(std::isnan(double(bf16(value)))) << code;
    else EXPECT_EQ(bf16(value).bits, x.bits) << code;
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

}  // namespace
}  // namespace plumb::ir

#include "ir/convert.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/tensor.hpp"

namespace plumb::ir::convert_test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

TEST(Convert, FloatsTruncateAndSaturate) {
  for (const auto& [x, whole] : {std::pair{0.5, 0}, {-0.5, 0}, {1.5, 1}, {-1.5, -1}, {2.5, 2}, {-2.999, -2}})
    EXPECT_EQ(convert_value<std::int32_t>(x), whole) << x;
  EXPECT_EQ(convert_value<std::int32_t>(3e9), INT32_MAX);
  EXPECT_EQ(convert_value<std::int32_t>(-3e9f), INT32_MIN);
  EXPECT_EQ(convert_value<std::int32_t>(2147483520.f), 2147483520);  // the largest float below 2^31
  EXPECT_EQ(convert_value<std::int32_t>(2147483648.f), INT32_MAX);
  EXPECT_EQ(convert_value<std::int32_t>(2147483646.5), 2147483646);
  EXPECT_EQ(convert_value<std::uint8_t>(-1.5), 0);
  EXPECT_EQ(convert_value<std::uint8_t>(255.9f), 255);
  EXPECT_EQ(convert_value<std::int8_t>(-128.9), -128);
  EXPECT_EQ(convert_value<std::uint32_t>(4294967295.5), 4294967295u);
  EXPECT_EQ(convert_value<std::int64_t>(0x1p63), INT64_MAX);
  EXPECT_EQ(convert_value<std::int64_t>(-0x1p63), INT64_MIN);
  EXPECT_EQ(convert_value<std::int64_t>(f16::from_bits(0x7C00)), INT64_MAX);
  EXPECT_EQ(convert_value<std::int16_t>(f16(-65504.0)), -32768);
}

TEST(Convert, NanBecomesZeroAndInfinitySaturates) {
  EXPECT_EQ(convert_value<std::int64_t>(nan), 0);
  EXPECT_EQ(convert_value<std::uint8_t>(static_cast<float>(nan)), 0);
  EXPECT_EQ(convert_value<std::int8_t>(bf16(nan)), 0);
  EXPECT_EQ(convert_value<std::int8_t>(inf), 127);
  EXPECT_EQ(convert_value<std::uint32_t>(-inf), 0u);
}

TEST(Convert, IntegersWrap) {
  EXPECT_EQ(convert_value<std::uint8_t>(std::int32_t{-1}), 255);
  EXPECT_EQ(convert_value<std::int8_t>(std::int32_t{128}), -128);
  EXPECT_EQ(convert_value<std::int32_t>(INT64_MIN), 0);
  EXPECT_EQ(convert_value<std::uint32_t>(INT64_MAX), UINT32_MAX);
  EXPECT_EQ(convert_value<std::int64_t>(std::uint32_t{0x80000000}), 0x80000000ll);
}

TEST(Convert, IntegersRoundOnceToNearestEven) {
  EXPECT_EQ(convert_value<float>(std::int32_t{(1 << 24) + 1}), 0x1p24f);
  EXPECT_EQ(convert_value<float>(std::int32_t{(1 << 24) - 1}), 0x1p24f - 1);
  EXPECT_EQ(convert_value<float>(std::int32_t{(1 << 24) + 3}), 0x1p24f + 4);
  EXPECT_EQ(convert_value<double>(INT64_MAX), 0x1p63);
  EXPECT_EQ(convert_value<float>(INT64_MIN), -0x1p63f);
  EXPECT_EQ(double(convert_value<f16>(std::int64_t{2049})), 2048);
  EXPECT_EQ(double(convert_value<f16>(std::int32_t{2051})), 2052);
  EXPECT_EQ(double(convert_value<f16>(std::int32_t{65519})), 65504);
  EXPECT_EQ(double(convert_value<f16>(std::int32_t{65520})), inf);
  // 2^62 + 2^54 is a tie of bf16; one more is beyond it, but a double cannot hold that one.
  EXPECT_EQ(double(convert_value<bf16>((std::int64_t{1} << 62) + (std::int64_t{1} << 54))), 0x1p62);
  EXPECT_EQ(double(convert_value<bf16>((std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1)), 0x1p62 + 0x1p55);
  EXPECT_EQ(double(convert_value<bf16>(-(std::int64_t{1} << 62) - (std::int64_t{1} << 54) - 1)), -0x1p62 - 0x1p55);
}

TEST(Convert, FloatsRoundOnceFromTheirOwnWidth) {
  const double above_tie = std::nextafter(1 + 0x1p-11, 2);  // a float would round it to the tie, and that to 1
  EXPECT_EQ(double(convert_value<f16>(above_tie)), 1 + 0x1p-10);
  EXPECT_EQ(double(convert_value<f16>(1 + 0x1p-11f)), 1);
  EXPECT_EQ(double(convert_value<bf16>(std::nextafter(1 + 0x1p-8, 2))), 1 + 0x1p-7);
  EXPECT_EQ(double(convert_value<f16>(65519.996f)), 65504);
  EXPECT_EQ(double(convert_value<f16>(65520.f)), inf);
  EXPECT_EQ(double(convert_value<f16>(0x1.8p-25f)), 0x1p-24);  // subnormal
  EXPECT_EQ(convert_value<float>(1e39), static_cast<float>(inf));
  EXPECT_TRUE(std::isnan(convert_value<float>(nan)));
  EXPECT_TRUE(std::signbit(convert_value<float>(-0.0)));
  EXPECT_TRUE(std::signbit(double(convert_value<f16>(-0.0f))));
  EXPECT_EQ(double(convert_value<bf16>(f16(1.0009765625))), 1);
}

TEST(Convert, EverythingButZeroIsTrue) {
  EXPECT_TRUE(convert_value<bool>(nan));
  EXPECT_TRUE(convert_value<bool>(-inf));
  EXPECT_TRUE(convert_value<bool>(0x1p-1074));
  EXPECT_FALSE(convert_value<bool>(-0.0));
  EXPECT_FALSE(convert_value<bool>(f16(-0.0)));
  EXPECT_TRUE(convert_value<bool>(f16::from_bits(0x0001)));
  EXPECT_TRUE(convert_value<bool>(std::int64_t{1} << 40));
  EXPECT_TRUE(convert_value<bool>(std::complex<float>(0, 1)));
  EXPECT_FALSE(convert_value<bool>(std::complex<double>(0, -0.0)));
  EXPECT_EQ(convert_value<std::int8_t>(true), 1);
  EXPECT_EQ(double(convert_value<bf16>(true)), 1);
}

TEST(Convert, RealsHaveNoImaginaryPart) {
  const auto z = convert_value<std::complex<float>>(1e39);
  EXPECT_EQ(z.real(), static_cast<float>(inf));
  EXPECT_FALSE(std::signbit(z.imag()));
  EXPECT_EQ(convert_value<std::complex<double>>(std::complex<float>(1, 2)), std::complex<double>(1, 2));
}

TEST(Convert, TensorsKeepTheirShapeAndComplexOnesStayComplex) {
  const Tensor x = Tensor::of<double>({2, 0}, {});
  EXPECT_EQ(convert(x, DType::u8).type(), (TensorType{DType::u8, {2, 0}}));
  EXPECT_THROW(convert(Tensor({DType::c64, {1}}), DType::f64), Error);
  EXPECT_EQ(convert(Tensor({DType::c64, {1}}), DType::c128).dtype(), DType::c128);
}

/// Every way between two dtypes is compiled and keeps small whole numbers.
TEST(Convert, SmallWholeNumbersSurviveEveryWay) {
  const Tensor start = Tensor::of<std::uint8_t>({3}, {0, 1, 100});
  for (std::size_t i = 0; i < dtype_count; ++i)
    for (std::size_t j = 0; j < dtype_count; ++j) {
      const auto from = static_cast<DType>(i), to = static_cast<DType>(j);
      if (from == DType::boolean || to == DType::boolean || (is_complex(from) && !is_complex(to))) continue;
      const Tensor end = convert(convert(convert(start, from), to), DType::c128);
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_EQ(end.as<std::complex<double>>()[k], double(start.as<std::uint8_t>()[k])) << from << " to " << to;
    }
}

}  // namespace
}  // namespace plumb::ir::convert_test

#include "parity/compare/telling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace plumb::parity::compare::telling_test {
namespace {

using ir::DType;
using ir::Tensor;
using ::testing::HasSubstr;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

Allowed of_limit(const ir::Shape& shape, double limit) {
  Tensor limits({DType::f64, shape});
  std::ranges::fill(limits.as<double>(), limit);
  return {.rule = Allowed::Rule::within, .limits = std::make_shared<const Limits>(Limits{limits, limits})};
}

Telling telling(const Tensor& truth, const Allowed& allowed, const Line& line) {
  const Tensor got = ir::convert(truth, DType::f32);
  return telling_of(truth, DType::f32, allowed, line, compare(truth, got, allowed));
}

/// [lines, 16] of normal numbers.
Tensor numbers(std::int64_t lines) {
  std::mt19937 chance(1);
  std::normal_distribution<double> normal;
  Tensor x({DType::f64, {lines, 16}});
  for (double& one : x.as<double>()) one = normal(chance);
  return x;
}

TEST(Line, IsWhatSharesAScale) {
  EXPECT_EQ(Line::of_last_axes({4, 3, 16}).length, 16);
  EXPECT_EQ(Line::of_last_axes({4, 3, 5}).length, 15);
  EXPECT_EQ(Line::of_last_axes({2, 3}).length, 6);
  EXPECT_EQ(Line::of_last_axes({}).length, 1);
  const Line channel = Line::along({2, 3, 5, 7}, 2), column = Line::along({2, 3, 5}, 1, 1);
  EXPECT_EQ(channel.length, 35);
  EXPECT_EQ(channel.inner, 1);
  EXPECT_EQ(column.length, 3);
  EXPECT_EQ(column.inner, 5);
}

/// Neighbours are looked at by eights, others one by one: 21 are two of these and five besides.
TEST(Telling, IsTheSameOfNeighboursAndOfColumns) {
  std::mt19937 chance(3);
  std::normal_distribution<double> normal;
  constexpr std::int64_t lines = 5, length = 21;
  Tensor rows({DType::f64, {lines, length}}), columns({DType::f64, {length, lines}});
  Tensor of_rows = rows, of_columns = columns;
  for (std::int64_t i = 0; i < lines; ++i)
    for (std::int64_t k = 0; k < length; ++k) {
      const auto in_rows = static_cast<std::size_t>(i * length + k);
      const auto in_columns = static_cast<std::size_t>(k * lines + i);
      const bool is_special = i == 2 && k % 5 == 0;
      const double x = i == 4 ? 0 : is_special ? (k == 5 ? no_number : HUGE_VAL) : normal(chance);
      rows.as<double>()[in_rows] = columns.as<double>()[in_columns] = x;
      // Line 0 has nothing precise; in the others some elements say something and some do not.
      const double limit = i == 0 ? 0.5 : std::exp(3 * normal(chance) - 5);
      of_rows.as<double>()[in_rows] = of_columns.as<double>()[in_columns] = limit;
    }
  const auto allowed = [](const Tensor& limits) {
    return Allowed{.rule = Allowed::Rule::within, .limits = std::make_shared<const Limits>(Limits{limits, limits})};
  };
  const Telling by_rows = telling(rows, allowed(of_rows), Line::along(rows.shape(), 1));
  const Telling by_columns = telling(columns, allowed(of_columns), Line::along(columns.shape(), 0, 0));
  EXPECT_GT(by_rows.informative, 20u);
  EXPECT_GT(by_rows.loose, 20u);
  EXPECT_EQ(by_rows.informative + by_rows.loose, 4u * 21 - 5);
  EXPECT_EQ(by_rows.informative, by_columns.informative);
  EXPECT_EQ(by_rows.loose, by_columns.loose);
  EXPECT_TRUE(by_rows.has_precise);
  EXPECT_TRUE(by_columns.has_precise);
}

TEST(Mistrust, ZerosBehindAReluSaySomething) {
  Tensor y = numbers(20);
  for (double& one : y.as<double>()) one = std::max(one - 1, 0.0);  // 84 % zeros
  const Telling found = telling(y, of_limit({20, 16}, 1e-6), {16});
  EXPECT_GT(found.informative, 270u);
  EXPECT_EQ(found.mistrust(), "");
}

/// Subnormals that are kept say that they were kept, as long as a 0 in their place would be seen; those that may be
/// flushed say nothing.
TEST(Mistrust, SubnormalsSaySomethingWhereTheyAreKept) {
  Tensor y = numbers(20);
  for (double& one : y.as<double>()) one *= 100 * 0x1p-149;
  Allowed kept = of_limit({20, 16}, 20 * 0x1p-149);
  EXPECT_EQ(telling(y, kept, {16}).mistrust(), "");
  EXPECT_GT(telling(y, kept, {16}).informative, 300u);
  EXPECT_THAT(telling(y, of_limit({20, 16}, 80 * 0x1p-149), {16}).mistrust(), HasSubstr("say something"));
  kept.subnormal = 0x1p-126;
  EXPECT_THAT(telling(y, kept, {16}).mistrust(), HasSubstr("say something"));
}

TEST(Mistrust, OneBadLineSpoilsNothing) {
  Tensor y = numbers(20);
  std::fill(y.as<double>().begin(), y.as<double>().begin() + 16, no_number);
  std::fill(y.as<double>().begin() + 16, y.as<double>().begin() + 32, 0.0);
  const Telling found = telling(y, of_limit({20, 16}, 1e-6), {16});
  EXPECT_EQ(found.informative, 18u * 16);
  EXPECT_EQ(found.not_finite, 16u);
  EXPECT_EQ(found.mistrust(), "");
}

TEST(Mistrust, OneBadLineHidesNowhere) {
  Tensor y = numbers(2);  // the limit suits the second line, which is 10⁵ times as large
  for (std::size_t i = 16; i < 32; ++i) y.as<double>()[i] *= 1e5;
  const Telling found = telling(y, of_limit({2, 16}, 0.5), {16});
  EXPECT_EQ(found.informative, 16u);
  EXPECT_EQ(found.loose, 16u);
}

TEST(Mistrust, SaysWhyInWords) {
  const Tensor y = numbers(20);
  EXPECT_THAT(telling(y, of_limit({20, 16}, 0.5), {16}).mistrust(),
              HasSubstr("only 0 % of the elements say something: the error allowed of 100 % is more than 1e-02"));
  const Tensor zeros({DType::f64, {4, 16}});
  EXPECT_EQ(telling(zeros, of_limit({4, 16}, 1e-9), {16}).mistrust(), "the truth is all zero");
  EXPECT_EQ(telling(Tensor({DType::f64, {}}), of_limit({}, 1e-9), {1}).mistrust(), "the truth is all zero");
  Tensor nans = numbers(4);
  std::fill(nans.as<double>().begin(), nans.as<double>().begin() + 33, no_number);
  EXPECT_EQ(telling(nans, of_limit({4, 16}, 1e-9), {16}).mistrust(), "51.6 % of the truth is not finite");
  EXPECT_THAT(telling(numbers(4), of_limit({4, 16}, 9e-3), {16}).mistrust(), "");
  Tensor alike({DType::f64, {8}});
  std::ranges::fill(alike.as<double>(), 1.0);
  EXPECT_EQ(telling(alike, of_limit({8}, 0.01), {8}).mistrust(),
            "no element is more than 100 times as large as its limit");
}

TEST(Mistrust, OfWhatIsExactOnlyZerosProveNothing) {
  const Allowed exact{.rule = Allowed::Rule::exact};
  Tensor mask({DType::boolean, {4, 16}});
  const auto of_mask = [&] {
    return telling_of(mask, DType::boolean, exact, {16}, compare(mask, mask, exact)).mistrust();
  };
  EXPECT_EQ(of_mask(), "the truth is all zero");
  const auto written = telling_of(mask, DType::boolean, exact, {16}, compare(mask, mask, exact), true);
  EXPECT_EQ(written.mistrust(), "");  // a bool was neither before: false is as definite as true
  EXPECT_EQ(telling_of(mask, DType::i8, exact, {16}, compare(mask, mask, exact), true).mistrust(),
            "the truth is all zero");
  mask.bytes()[7] = std::byte{1};
  EXPECT_EQ(of_mask(), "");
}

TEST(Mistrust, InfinitiesThatAreMovedOrSelectedAreRightOrWrong) {
  const Allowed exact{.rule = Allowed::Rule::exact};
  Tensor mask({DType::f64, {4, 16}});
  std::ranges::fill(mask.as<double>(), -std::numeric_limits<double>::infinity());
  const auto mistrust = [&](const Allowed& allowed) {
    const Tensor stored = ir::convert(mask, DType::f32);
    return telling_of(mask, DType::f32, allowed, {16}, compare(mask, stored, allowed)).mistrust();
  };
  EXPECT_EQ(mistrust(exact), "");
  EXPECT_EQ(mistrust(of_limit({4, 16}, 1e-9)), "100 % of the truth is not finite");  // rounded numbers may overflow
  std::ranges::fill(mask.as<double>(), no_number);
  EXPECT_EQ(mistrust(exact), "100 % of the truth is not finite");
}

TEST(Mistrust, NothingIsHeldAgainstNothing) {
  EXPECT_EQ(telling(Tensor({DType::f64, {0, 16}}), of_limit({0, 16}, 1), {16}).mistrust(), "");
}

}  // namespace
}  // namespace plumb::parity::compare::telling_test

#include "ir/dtype.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace plumb::ir::dtype_test {
namespace {

TEST(DTypes, AreFoundByTheNamesTheyPrint) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(find_dtype(info(dtype).name), dtype);
    EXPECT_EQ(cat(dtype), info(dtype).name);
    names.emplace(info(dtype).name);
  }
  EXPECT_EQ(names.size(), dtype_count);
  EXPECT_EQ(find_dtype("f8"), std::nullopt);
  EXPECT_EQ(find_dtype(""), std::nullopt);
}

TEST(DTypes, VisitorsSeeTheTypeOfTheRightWidthOnceAndOnlyIfItBelongs) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    int calls = 0;
    visit_any(dtype, [&]<class T>(T) {
      ++calls;
      EXPECT_EQ(sizeof(T), info(dtype).bytes);
      EXPECT_EQ(dtype_of<T>, dtype);
      EXPECT_EQ(sizeof(compute_t<T>), is_float(dtype) ? std::max<std::size_t>(sizeof(T), 4) : sizeof(T));
    });
    EXPECT_EQ(calls, 1);
    const auto takes = [&](auto visit) {
      try {
        visit();
        return true;
      } catch (const Error&) {
        return false;
      }
    };
    const auto nothing = [](auto) {};
    EXPECT_EQ(takes([&] { visit_float(dtype, nothing); }), dtypes::R.contains(dtype)) << dtype;
    EXPECT_EQ(takes([&] { visit_integer(dtype, nothing); }), dtypes::I.contains(dtype)) << dtype;
    EXPECT_EQ(takes([&] { visit_number(dtype, nothing); }), dtypes::N.contains(dtype)) << dtype;
    EXPECT_EQ(takes([&] { visit_complex(dtype, nothing); }), dtypes::Z.contains(dtype)) << dtype;
    EXPECT_EQ(takes([&] { visit_index(dtype, nothing); }), dtypes::X.contains(dtype)) << dtype;
  }
}

TEST(DTypes, SetsPrintAsASentence) {
  EXPECT_EQ(cat(dtypes::R), "f16, bf16, f32 or f64");
  EXPECT_EQ(cat(dtypes::X), "i32 or i64");
  EXPECT_EQ(cat(dtypes::B), "bool");
}

TEST(DTypes, UnitRoundoffIsHalfTheSpacingAtOne) {
  EXPECT_EQ(unit_roundoff(DType::f32), std::nextafter(1.f, 2.f) / 2 - 0.5);
  EXPECT_EQ(unit_roundoff(DType::f64), (std::nextafter(1.0, 2.0) - 1) / 2);
  EXPECT_EQ(unit_roundoff(DType::f16), (double(f16::from_bits(f16(1.0).bits + 1)) - 1) / 2);
  EXPECT_EQ(unit_roundoff(DType::bf16), (double(bf16::from_bits(bf16(1.0).bits + 1)) - 1) / 2);
  EXPECT_EQ(unit_roundoff(DType::c64), unit_roundoff(DType::f32));
  EXPECT_EQ(unit_roundoff(DType::i32), 0);
}

/// The locale of a program that writes 50.000,5.
struct Commas final : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Text, IsTheSameInEveryLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
  const std::string text = cat(50000, ' ', 0.5);
  std::locale::global(before);
  EXPECT_EQ(text, "50000 0.5");
}

}  // namespace
}  // namespace plumb::ir::dtype_test

// Each style beside pairs that were worked out by hand from the text of its source, at the borders of its tolerances.
#include "parity/studies/closeness/style.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "ir/error.hpp"

namespace plumb::parity::studies::closeness::style_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<float>::max();
constexpr double tiny = 0x1p-149;  // the least f32 above 0

enum class As { f32, f64, f16, bf16, i32, i64, boolean };

/// One pair, and whether each style takes it: with its usual tolerances for the dtype, or those of the row.
struct Row {
  double a = 0, b = 0;
  bool torch = false, numpy = false, polygraphy = false, xla = false, ggml = false, ncnn = false;
  As as = As::f32;
  std::optional<double> relative = {}, absolute = {}, limit = {};
};

// In ggml a single element is a tensor: its error is (a - b)^2 / a^2, at most 1e-7. Usual tolerances of the others:
// f32 torch 1.3e-6 |b| + 1e-5, numpy 1e-7 |b|, polygraphy 1e-5 |b| or 1e-5, xla 1e-3 |b| or 1e-3, ncnn 1e-3 or
// less than 1e-3 max(|a|, |b|).
constexpr bool y = true, n = false;
const std::vector<Row> rows = {
    // zeros, and their signs; nothing divided by nothing is no number, and is not above ggml's limit
    {.a = 0, .b = 0, .torch = y, .numpy = y, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = -0.0, .b = 0, .torch = y, .numpy = y, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = 0, .b = -0.0, .torch = y, .numpy = y, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = -0.0, .b = -0.0, .torch = y, .numpy = y, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = tiny, .b = 0, .torch = y, .numpy = n, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = 0, .b = tiny, .torch = y, .numpy = n, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = 1e-5, .b = 0, .torch = y, .numpy = n, .polygraphy = y, .xla = y, .ggml = n, .ncnn = y},
    {.a = 1.1e-5, .b = 0, .torch = n, .numpy = n, .polygraphy = n, .xla = y, .ggml = n, .ncnn = y},
    {.a = 0, .b = 1.1e-5, .torch = n, .numpy = n, .polygraphy = n, .xla = y, .ggml = n, .ncnn = y},
    {.a = 0, .b = 1e-3, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = y},
    {.a = 0, .b = 2e-3, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    // NaNs and infinities
    {.a = nan, .b = nan, .torch = n, .numpy = y, .polygraphy = n, .xla = y, .ggml = n, .ncnn = n},
    {.a = nan, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = 1, .b = nan, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = nan, .b = inf, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = inf, .b = nan, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = nan, .b = 0, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = inf, .b = inf, .torch = y, .numpy = y, .polygraphy = n, .xla = y, .ggml = y, .ncnn = y},
    {.a = -inf, .b = -inf, .torch = y, .numpy = y, .polygraphy = n, .xla = y, .ggml = y, .ncnn = y},
    {.a = inf, .b = -inf, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = -inf, .b = inf, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = inf, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = 1, .b = inf, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = 0, .b = -inf, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = inf, .b = largest, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = y, .ncnn = n},
    {.a = largest, .b = inf, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = y, .ncnn = n},
    {.a = largest, .b = -largest, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = largest, .b = largest, .torch = y, .numpy = y, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = largest, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    // around 1: an ulp of f32 is 1.19e-7
    {.a = 1, .b = 1, .torch = y, .numpy = y, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = 1 + 0x1p-23, .b = 1, .torch = y, .numpy = n, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = 1.00001, .b = 1, .torch = y, .numpy = n, .polygraphy = n, .xla = y, .ggml = y, .ncnn = y},
    {.a = 1.0000095, .b = 1, .torch = y, .numpy = n, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = 1.000012, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = y, .ggml = y, .ncnn = y},
    {.a = 0.999989, .b = 1, .torch = y, .numpy = n, .polygraphy = n, .xla = y, .ggml = y, .ncnn = y},
    {.a = 1.0003, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = y, .ggml = y, .ncnn = y},
    {.a = 1.0004, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = y, .ggml = n, .ncnn = y},
    {.a = 1.0009, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = y, .ggml = n, .ncnn = y},
    {.a = 1.002, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    {.a = -1, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    // large numbers, where relative tolerances count
    {.a = 1000001, .b = 1000000, .torch = y, .numpy = n, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = 1000002, .b = 1000000, .torch = n, .numpy = n, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = 1000010, .b = 1000000, .torch = n, .numpy = n, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y},
    {.a = 1000011, .b = 1000000, .torch = n, .numpy = n, .polygraphy = n, .xla = y, .ggml = y, .ncnn = y},
    {.a = 1001000, .b = 1000000, .torch = n, .numpy = n, .polygraphy = n, .xla = y, .ggml = n, .ncnn = y},
    {.a = 1001001, .b = 1000000, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = y},
    {.a = 1000000, .b = 1001001, .torch = n, .numpy = n, .polygraphy = n, .xla = y, .ggml = n, .ncnn = y},
    {.a = 1001002, .b = 1000000, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n},
    // tolerances of one's own; 0.25 and the like are exact, so that borders are
    {.a = 1.25,
     .b = 1,
     .torch = y,
     .numpy = y,
     .polygraphy = y,
     .xla = y,
     .ggml = y,
     .ncnn = y,
     .relative = 0.25,
     .absolute = 0,
     .limit = 0.25},
    {.a = 1,
     .b = 1.25,
     .torch = y,
     .numpy = y,
     .polygraphy = y,
     .xla = y,
     .ggml = y,
     .ncnn = y,
     .relative = 0.25,
     .absolute = 0,
     .limit = 0.25},
    {.a = 1.5,
     .b = 1,
     .torch = y,
     .numpy = y,
     .polygraphy = n,
     .xla = n,
     .ggml = n,
     .ncnn = n,
     .relative = 0.25,
     .absolute = 0.25,
     .limit = 0.0625},
    {.a = 4,
     .b = 3,
     .torch = n,
     .numpy = n,
     .polygraphy = n,
     .xla = n,
     .ggml = y,
     .ncnn = n,
     .relative = 0.25,
     .absolute = 0,
     .limit = 0.0625},
    {.a = 4,
     .b = 3,
     .torch = n,
     .numpy = n,
     .polygraphy = n,
     .xla = n,
     .ggml = n,
     .ncnn = n,
     .relative = 0,
     .absolute = 0,
     .limit = 0},
    {.a = 3,
     .b = 3,
     .torch = y,
     .numpy = y,
     .polygraphy = y,
     .xla = y,
     .ggml = y,
     .ncnn = y,
     .relative = 0,
     .absolute = 0,
     .limit = 0},
    {.a = 8,
     .b = 6,
     .torch = y,
     .numpy = y,
     .polygraphy = y,
     .xla = y,
     .ggml = y,
     .ncnn = y,
     .relative = 0,
     .absolute = 2,
     .limit = 2},
    // f16: 1 + 2^-10 is the next number
    {.a = 1 + 0x1p-10, .b = 1, .torch = y, .numpy = n, .polygraphy = n, .xla = y, .ggml = n, .ncnn = y, .as = As::f16},
    {.a = 1 + 0x1p-9, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n, .as = As::f16},
    {.a = 0x1p-24, .b = 0, .torch = y, .numpy = n, .polygraphy = y, .xla = y, .ggml = n, .ncnn = y, .as = As::f16},
    {.a = 65504, .b = -65504, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n, .as = As::f16},
    {.a = nan, .b = nan, .torch = n, .numpy = y, .polygraphy = n, .xla = y, .ggml = n, .ncnn = n, .as = As::f16},
    {.a = inf, .b = 65504, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n, .as = As::f16},
    // bf16: 1 + 2^-7 is the next number
    {.a = 1 + 0x1p-7, .b = 1, .torch = y, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n, .as = As::bf16},
    {.a = 1 + 0x1p-6, .b = 1, .torch = y, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n, .as = As::bf16},
    {.a = 1 + 0x3p-7, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n, .as = As::bf16},
    {.a = -0.0, .b = 0, .torch = y, .numpy = y, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y, .as = As::bf16},
    // f64, of which ggml and ncnn say nothing: torch allows 1e-7 |b| + 1e-7
    {.a = 1 + 1.9e-7, .b = 1, .torch = y, .numpy = n, .polygraphy = y, .xla = y, .as = As::f64},
    {.a = 1 + 2.1e-7, .b = 1, .torch = n, .numpy = n, .polygraphy = y, .xla = y, .as = As::f64},
    {.a = 1 + 0.9e-7, .b = 1, .torch = y, .numpy = y, .polygraphy = y, .xla = y, .as = As::f64},
    {.a = nan, .b = nan, .torch = n, .numpy = y, .polygraphy = n, .xla = y, .as = As::f64},
    {.a = inf, .b = 1e308, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .as = As::f64},
    {.a = 5e-324, .b = 0, .torch = y, .numpy = n, .polygraphy = y, .xla = y, .as = As::f64},
    // whole numbers: torch and xla want them equal, numpy 1e-7 |b|, polygraphy 1e-5 |b|
    {.a = 7, .b = 7, .torch = y, .numpy = y, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y, .as = As::i32},
    {.a = 8, .b = 7, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n, .as = As::i32},
    {.a = 100001, .b = 100000, .torch = n, .numpy = n, .polygraphy = y, .xla = n, .ggml = y, .ncnn = y, .as = As::i32},
    {.a = 10000001,
     .b = 10000000,
     .torch = n,
     .numpy = y,
     .polygraphy = y,
     .xla = n,
     .ggml = y,
     .ncnn = y,
     .as = As::i32},
    {.a = -2147483648.0,
     .b = 2147483647,
     .torch = n,
     .numpy = n,
     .polygraphy = n,
     .xla = n,
     .ggml = n,
     .ncnn = n,
     .as = As::i32},
    {.a = 9,
     .b = 8,
     .torch = y,
     .numpy = y,
     .polygraphy = y,
     .xla = n,
     .ggml = y,
     .ncnn = y,
     .as = As::i32,
     .relative = 0.125,
     .absolute = 0,
     .limit = 0.125},
    {.a = 0, .b = 0, .torch = y, .numpy = y, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y, .as = As::i64},
    {.a = 0x1p53,
     .b = 0x1p53 - 1,
     .torch = n,
     .numpy = y,
     .polygraphy = y,
     .xla = n,
     .ggml = y,
     .ncnn = y,
     .as = As::i64},
    {.a = 1, .b = 1, .torch = y, .numpy = y, .polygraphy = y, .xla = y, .ggml = y, .ncnn = y, .as = As::boolean},
    {.a = 1, .b = 0, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n, .as = As::boolean},
    {.a = 0, .b = 1, .torch = n, .numpy = n, .polygraphy = n, .xla = n, .ggml = n, .ncnn = n, .as = As::boolean},
};

template <class T>
bool takes(Style style, const Row& row) {
  Rule rule{.style = style};
  const bool has_one_number = style == Style::ggml || style == Style::ncnn;
  if (has_one_number)
    rule.limit = row.limit;
  else
    rule = {.style = style, .relative = row.relative, .absolute = row.absolute};
  const Tolerances by = tolerances_of(rule, ir::dtype_of<T>);
  const T a = static_cast<T>(row.a), b = static_cast<T>(row.b);
  if (!held(style, by, a, b).is_within) return false;
  if (style != Style::ggml) return true;
  NormalisedError error;
  error.add(static_cast<float>(a), static_cast<float>(b));
  return !(error.value() > by.limit);
}

bool takes(Style style, const Row& row) {
  switch (row.as) {
    case As::f32:
      return takes<float>(style, row);
    case As::f64:
      return takes<double>(style, row);
    case As::f16:
      return takes<ir::f16>(style, row);
    case As::bf16:
      return takes<ir::bf16>(style, row);
    case As::i32:
      return takes<std::int32_t>(style, row);
    case As::i64:
      return takes<std::int64_t>(style, row);
    case As::boolean:
      return takes<bool>(style, row);
  }
  return false;
}

TEST(CompareStyle, DecidesAsItsSourceDoes) {
  std::array<std::size_t, 6> tried = {};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const std::array<bool, 6> wanted = {row.torch, row.numpy, row.polygraphy, row.xla, row.ggml, row.ncnn};
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const auto style = static_cast<Style>(k);
      if (row.as == As::f64 && !knows(style, ir::DType::f64)) continue;
      EXPECT_EQ(takes(style, row), wanted[k]) << source_of(style) << ", row " << i << ": " << row.a << ", " << row.b;
      ++tried[k];
    }
  }
  for (const std::size_t count : tried) EXPECT_GE(count, 40u);
}

TEST(CompareStyle, HoldsComplexNumbersByModulusOrByPart) {
  using Complex = std::complex<float>;
  const Tolerances by{.relative = 0, .absolute = 1};
  const Complex a{1, 1}, b{0, 0}, c{1, 0};  // |a - b| is 1.41, and each part is off by 1
  const auto takes_it = [&](Style style, Complex x, Complex z) { return held(style, by, x, z).is_within; };
  for (const Style style : {Style::torch, Style::numpy}) {
    EXPECT_FALSE(takes_it(style, a, b));
    EXPECT_TRUE(takes_it(style, a, c));
  }
  EXPECT_TRUE(takes_it(Style::xla, a, b));
  EXPECT_FALSE(takes_it(Style::xla, Complex(2.5f, 0), b));
  const auto unknown = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(takes_it(Style::numpy, Complex(unknown, 0), Complex(0, unknown)));
  EXPECT_FALSE(takes_it(Style::torch, Complex(unknown, 0), Complex(unknown, 0)));
  EXPECT_FALSE(takes_it(Style::xla, Complex(unknown, 0), Complex(0, unknown)));
  for (const Style style : {Style::polygraphy, Style::ggml, Style::ncnn}) EXPECT_FALSE(knows(style, ir::DType::c64));
}

TEST(CompareStyle, RefusesNumbersThatItsSourceDoesNotTake) {
  EXPECT_THROW(require_sense({.style = Style::torch, .relative = 1e-3}), ir::Error);
  EXPECT_NO_THROW(require_sense({.style = Style::torch, .relative = 1e-3, .absolute = 0}));
  EXPECT_NO_THROW(require_sense({.style = Style::numpy, .relative = 1e-3}));
  EXPECT_THROW(require_sense({.style = Style::ggml, .relative = 1e-3}), ir::Error);
  EXPECT_THROW(require_sense({.style = Style::xla, .limit = 1e-3}), ir::Error);
  EXPECT_NO_THROW(require_sense({.style = Style::ncnn, .limit = 1e-2}));
}

}  // namespace
}  // namespace plumb::parity::studies::closeness::style_test

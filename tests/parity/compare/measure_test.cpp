#include "parity/compare/measure.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "parity/core/parallel.hpp"

namespace plumb::parity::measure_test {
namespace {

using ir::DType;
using ir::Tensor;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
Tensor line(const std::vector<T>& values) {
  return Tensor::of<T>({static_cast<std::int64_t>(values.size())}, values);
}

/// The comparison of every element, with a limit that nothing reaches.
compare::Comparison by_elements(const Tensor& truth, const Tensor& other) {
  return compare::compare(truth, other, {.rule = compare::Allowed::Rule::within, .absolute = 1e300});
}

void expect_same(const compare::Extreme& a, const compare::Extreme& b) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.value), std::bit_cast<std::uint64_t>(b.value));
  EXPECT_EQ(a.index, b.index);
}

void expect_same(const compare::Comparison& a, const compare::Comparison& b) {
  EXPECT_EQ(a.n, b.n);
  EXPECT_EQ(a.n_bad, b.n_bad);
  EXPECT_EQ(a.n_nan_expected, b.n_nan_expected);
  EXPECT_EQ(a.n_nan_got, b.n_nan_got);
  EXPECT_EQ(a.n_inf_expected, b.n_inf_expected);
  EXPECT_EQ(a.n_inf_got, b.n_inf_got);
  EXPECT_EQ(a.n_nan_differ, b.n_nan_differ);
  EXPECT_EQ(a.n_inf_differ, b.n_inf_differ);
  EXPECT_EQ(a.n_zero_expected, b.n_zero_expected);
  EXPECT_EQ(a.constant, b.constant);
  expect_same(a.max_abs, b.max_abs);
  expect_same(a.max_rel, b.max_rel);
  expect_same(a.max_ulp, b.max_ulp);
  EXPECT_EQ(a.expected_absmax, b.expected_absmax);
  const auto near = [](double x, double y, double scale) {
    if (!std::isnan(x) || !std::isnan(y)) {
      EXPECT_NEAR(x, y, 1e-13 * scale);
    }
  };
  near(a.mean_signed, b.mean_signed, b.rms);
  near(a.rms, b.rms, b.rms);
  near(a.rel_l2, b.rel_l2, b.rel_l2);
  near(a.expected_norm1, b.expected_norm1, b.expected_norm1);
  near(a.expected_norm2, b.expected_norm2, b.expected_norm2);
  near(a.cosine, b.cosine, 1);
}

/// Numbers of many sizes, zeros among them, and others close to them.
struct Numbers {
  std::vector<double> y;
  std::vector<float> c;

  explicit Numbers(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = static_cast<double>(i);
      y.push_back(i % 7 == 3 ? 0 : std::sin(x) * std::exp2(std::fmod(x, 40) - 20));
      c.push_back(static_cast<float>(y[i] * (1 + 1e-5 * std::cos(3 * x))));
    }
  }
};

TEST(Measure, FindsWhatTheComparisonOfEveryElementFinds) {
  for (const std::size_t n : {1u, 7u, 511u, 512u, 513u, 1029u, 100'003u}) {
    SCOPED_TRACE(n);
    const Numbers numbers(n);
    const Tensor truth = line(numbers.y), got = line(numbers.c);
    const auto found = compare::measure(truth, got);
    expect_same(found, by_elements(truth, got));
    EXPECT_TRUE(found.worst.empty());
    EXPECT_TRUE(std::isnan(found.ulp_p50));
    for (const DType dtype : {DType::f16, DType::bf16, DType::f64})
      expect_same(compare::measure(truth, ir::convert(got, dtype)), by_elements(truth, ir::convert(got, dtype)));
  }
}

TEST(Measure, CountsWhatIsNoNumberAndLeavesItOut) {
  Numbers numbers(2000);
  numbers.y[5] = nan;
  numbers.c[5] = NAN;
  numbers.y[600] = nan;
  numbers.c[601] = NAN;
  numbers.y[602] = inf;
  numbers.c[602] = INFINITY;
  numbers.y[603] = inf;
  numbers.c[604] = INFINITY;  // where the truth is finite
  numbers.y[605] = 1e39;
  numbers.c[605] = INFINITY;  // which overflows
  numbers.y[1999] = 1e39;
  numbers.c[1999] = -INFINITY;
  const Tensor truth = line(numbers.y), got = line(numbers.c);
  const auto found = compare::measure(truth, got);
  EXPECT_EQ(found.n_bad, 5u);
  EXPECT_EQ(found.n_nan_differ, 2u);
  EXPECT_EQ(found.n_inf_differ, 3u);
  EXPECT_LT(found.max_rel.value, 2e-5);
  const auto all = compare::compare(truth, got, {.rule = compare::Allowed::Rule::within, .absolute = 1e30});
  expect_same(found, all);
}

/// Nothing is allowed, so nothing is within reach of an infinity.
TEST(Measure, AnInfinityOfAFiniteTruthIsBadWhateverTheType) {
  using c64 = std::complex<float>;
  using c128 = std::complex<double>;
  EXPECT_EQ(compare::measure(line<double>({1}), line<float>({INFINITY})).n_inf_differ, 1u);
  EXPECT_EQ(compare::measure(line<double>({1}), line<double>({inf})).n_inf_differ, 1u);
  EXPECT_EQ(compare::measure(line<c128>({{1, 0}}), line<c64>({{INFINITY, 0}})).n_inf_differ, 1u);
}

TEST(Measure, SeveralAtOnceAreEachAsAlone) {
  const Numbers numbers(3000);
  const Tensor truth = line(numbers.y), got = line(numbers.c),
               wide = ir::convert(ir::convert(got, DType::bf16), DType::f64);
  const ir::TensorView both[] = {wide, got};
  const auto found = compare::measure(truth, both, DType::f32);
  expect_same(found[1], compare::measure(truth, got));
  auto alone = compare::measure(truth, wide);
  EXPECT_DOUBLE_EQ(found[0].max_ulp.value * 0x1p29, alone.max_ulp.value);  // in ulps of f32, of f64
  alone.max_ulp = found[0].max_ulp;
  expect_same(found[0], alone);
}

TEST(Measure, OfIntegersAndComplexNumbersToo) {
  using c64 = std::complex<float>;
  using c128 = std::complex<double>;
  const auto whole = compare::measure(line<std::int32_t>({4, 5, 6}), line<std::int32_t>({4, 8, 6}));
  EXPECT_EQ(whole.n_bad, 1u);
  EXPECT_EQ(whole.max_abs.value, 3);
  const auto complex = compare::measure(line<c128>({{3, 4}}), line<c64>({{3.5f, 4}}));
  EXPECT_EQ(complex.max_rel.value, 0.1);
  EXPECT_TRUE(complex.worst.empty());
}

TEST(Measure, OfNothingIsNothing) {
  const auto found = compare::measure(Tensor({DType::f64, {0, 3}}), Tensor({DType::f32, {0, 3}}));
  EXPECT_EQ(found.n, 0u);
  EXPECT_TRUE(std::isnan(found.max_abs.value) && std::isnan(found.rms));
  EXPECT_THROW(compare::measure(Tensor({DType::f64, {3}}), Tensor({DType::f32, {1, 3}})), ir::Error);
  EXPECT_THROW(compare::measure(Tensor({DType::f64, {3}}), Tensor({DType::i32, {3}})), ir::Error);
}

TEST(ForEachPiece, DoesEachOnce) {
  for (const std::size_t workers : {1u, 2u, 7u}) {
    std::vector<std::atomic<int>> done(100);
    core::for_each_piece(done.size(), workers, [&](std::size_t piece, std::size_t worker) {
      EXPECT_LT(worker, workers);
      ++done[piece];
    });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
  EXPECT_EQ(core::workers_for(0), 1u);
  EXPECT_EQ(core::workers_for(3), 1u);
}

}  // namespace
}  // namespace plumb::parity::measure_test

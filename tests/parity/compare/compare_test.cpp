#include "parity/compare/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ir/attribute.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::compare_test {
namespace {

using ir::DType;
using ir::Tensor;
using Rule = compare::Allowed::Rule;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
Tensor line(const std::vector<T>& values) {
  return Tensor::of<T>({static_cast<std::int64_t>(values.size())}, values);
}
Tensor truth(const std::vector<double>& values) { return line(values); }
Tensor f32(const std::vector<float>& values) { return line(values); }
Tensor f16_infinity() { return line<ir::f16>({ir::f16::from_bits(0x7C00)}); }

compare::Allowed within(double absolute) { return {.rule = Rule::within, .absolute = absolute}; }

std::uint64_t bad(const Tensor& expected, const Tensor& got, const compare::Allowed& allowed = {}) {
  return compare::compare(expected, got, allowed).n_bad;
}

TEST(Compare, SeesAnErrorOfEitherSign) {
  EXPECT_EQ(bad(truth({1}), f32({1.5f}), within(0.25)), 1u);
  EXPECT_EQ(bad(truth({1}), f32({0.5f}), within(0.25)), 1u);
  EXPECT_EQ(bad(truth({-1}), f32({1}), within(0.25)), 1u);
  EXPECT_EQ(bad(truth({1}), f32({0.75f}), within(0.25)), 0u);
}

TEST(Compare, NanMustMeetNan) {
  const auto quiet = std::numeric_limits<float>::quiet_NaN();
  for (const Rule rule : {Rule::bits, Rule::exact, Rule::rounded, Rule::within}) {
    const compare::Allowed allowed{.rule = rule, .absolute = 1e30};
    EXPECT_EQ(bad(truth({nan, -nan}), f32({-quiet, quiet}), allowed), 0u);
    EXPECT_EQ(bad(truth({nan, 1, nan}), f32({0, quiet, INFINITY}), allowed), 3u) << ir::enum_name(rule);
  }
  const auto c = compare::compare(truth({nan, nan, 1}), f32({0, quiet, 1}), {});
  EXPECT_EQ(c.n_nan_expected, 2u);
  EXPECT_EQ(c.n_nan_got, 1u);
  EXPECT_EQ(c.worst.front().index, 0u);
  EXPECT_EQ(c.ratio(), inf);
}

TEST(Compare, CountsWhatIsNoNumberApartFromErrors) {
  const auto quiet = std::numeric_limits<float>::quiet_NaN();
  const auto c =
      compare::compare(truth({nan, 3, inf, 1, -4, nan}), f32({0, quiet, 1, INFINITY, -4.5f, quiet}), within(1));
  EXPECT_EQ(c.n_bad, 4u);
  EXPECT_EQ(c.n_nan_differ, 2u);
  EXPECT_EQ(c.n_inf_differ, 2u);
  EXPECT_EQ(c.ratio_finite, 0.5);
  EXPECT_TRUE(std::isnan(compare::compare(truth({nan}), f32({0}), within(1)).ratio_finite));
}

TEST(Compare, KnowsTheNormsOfTheTruth) {
  const auto c = compare::compare(truth({3, -4, nan, 0}), f32({3, -4, 1, 0}), within(1));
  EXPECT_EQ(c.expected_norm1, 7);
  EXPECT_EQ(c.expected_norm2, 5);
  EXPECT_EQ(c.expected_absmax, 4);
}

TEST(Compare, InfinityMustMeetTheInfinityOfItsSign) {
  EXPECT_EQ(bad(truth({inf, -inf}), f32({INFINITY, -INFINITY}), within(1e30)), 0u);
  EXPECT_EQ(bad(truth({inf, -inf, inf, 1}), f32({-INFINITY, INFINITY, 3e38f, INFINITY}), within(1e30)), 4u);
}

TEST(Compare, AFiniteTruthBeyondTheTypeMeetsInfinity) {
  EXPECT_EQ(bad(truth({1e39, -1e39}), f32({INFINITY, -INFINITY})), 0u);
  EXPECT_EQ(bad(truth({1e39, -1e39}), f32({-INFINITY, 3.4028235e38f})), 2u);
  EXPECT_EQ(bad(truth({65520}), f16_infinity()), 0u);               // the threshold itself
  EXPECT_EQ(bad(truth({65519.9}), f16_infinity()), 1u);             // just below
  EXPECT_EQ(bad(truth({65519.9}), f16_infinity(), within(1)), 0u);  // but within the limit of it
  EXPECT_EQ(bad(truth({-65519.9}), f16_infinity(), within(1)), 1u);
}

TEST(Compare, ZerosOfBothSignsAreEqualExceptAsBits) {
  EXPECT_EQ(bad(truth({0.0}), f32({-0.0f}), {.rule = Rule::exact}), 0u);
  EXPECT_EQ(bad(truth({0.0}), f32({-0.0f}), within(0)), 0u);
  EXPECT_EQ(bad(truth({0.0}), f32({-0.0f}), {.rule = Rule::bits}), 1u);
  EXPECT_EQ(bad(truth({-0.0}), f32({-0.0f}), {.rule = Rule::bits}), 0u);
}

TEST(Compare, RoundedTakesEitherNeighbourOnlyOfATie) {
  const double tie = 1 + 0x1p-24, above = std::nextafter(tie, 2);
  const float one = 1, next = 1 + 0x1p-23f;
  EXPECT_EQ(bad(truth({tie, tie}), f32({one, next}), {.rule = Rule::rounded}), 0u);
  EXPECT_EQ(bad(truth({above, above}), f32({one, next}), {.rule = Rule::rounded}), 0u);
  EXPECT_EQ(bad(truth({tie + 0x1p-40}), f32({one}), {.rule = Rule::rounded}), 1u);
  EXPECT_EQ(bad(truth({tie}), f32({next}), {.rule = Rule::exact}), 1u);  // ties go to even
}

TEST(Compare, IntegersAndBoolsAreEqualOrNot) {
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(bad(line<std::int64_t>({big}), line<std::int64_t>({big - 1}), within(1e9)), 1u);
  EXPECT_EQ(bad(line<std::uint8_t>({255, 3}), line<std::uint8_t>({0, 3}), within(1e9)), 1u);
  EXPECT_EQ(bad(line<std::int32_t>({4, 5, 6}), line<std::int32_t>({5, 6, 7}), within(1e9)), 3u);  // indices off by one
  const Tensor none({DType::boolean, {2}});
  Tensor one = none;
  one.as<bool>()[1] = true;
  EXPECT_EQ(bad(one, one), 0u);
  EXPECT_EQ(bad(one, none), 1u);
}

TEST(Compare, FindsTheOneWrongElementOfAMillion) {
  std::vector<float> values(1'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(std::sin(static_cast<double>(i)));
  auto wrong = values;
  wrong[765'432] += 1e-3f;
  const auto c = compare::compare(f32(values), f32(wrong), within(1e-4));
  EXPECT_EQ(c.n_bad, 1u);
  EXPECT_EQ(c.worst.front().index, 765'432u);
  EXPECT_EQ(c.max_abs.index, 765'432u);
  EXPECT_NEAR(c.ratio(), 10, 0.01);
  EXPECT_GT(c.cosine, 0.999999);  // which is why no such number decides
}

TEST(Compare, MeasuresWhatAReaderCanWorkOut) {
  const auto c = compare::compare(truth({1, -2, 4, 0}), f32({1.5f, -2, 3, 0}), within(0.75));
  EXPECT_EQ(c.n, 4u);
  EXPECT_EQ(c.n_bad, 1u);
  EXPECT_EQ(c.max_abs.value, 1);
  EXPECT_EQ(c.max_abs.index, 2u);
  EXPECT_EQ(c.max_rel.value, 0.5);
  EXPECT_EQ(c.max_rel.index, 0u);
  EXPECT_EQ(c.mean_signed, (0.5 - 1) / 4);
  EXPECT_DOUBLE_EQ(c.rms, std::sqrt(1.25 / 4));
  EXPECT_DOUBLE_EQ(c.nmse, 1.25 / 21);
  EXPECT_DOUBLE_EQ(c.rel_l2, std::sqrt(1.25 / 21));
  EXPECT_DOUBLE_EQ(c.cosine, (1.5 + 4 + 12) / (std::sqrt(21) * std::sqrt(2.25 + 4 + 9)));
  EXPECT_EQ(c.expected_absmax, 4);
  EXPECT_DOUBLE_EQ(c.expected_rms, std::sqrt(21.0 / 4));
  EXPECT_EQ(c.n_zero_expected, 1u);
  EXPECT_EQ(c.max_ulp.value, 0.5 / 0x1p-23);
  EXPECT_EQ(c.worst.size(), 4u);
  EXPECT_EQ(c.worst[0].got, 3);
  EXPECT_EQ(c.worst[1].index, 0u);
  EXPECT_EQ(compare::summary(c),
            "1 of 4 elements differ; the worst, 1.33 times the tolerance, is element 2: expected 4, got 3");
}

TEST(Compare, WhatWasNotComputedIsNanAndNeverZero) {
  const auto empty = compare::compare(truth({}), f32({}), {});
  EXPECT_EQ(empty.n, 0u);
  for (const double x : {empty.max_abs.value, empty.max_rel.value, empty.max_ulp.value, empty.ulp_p50,
                         empty.mean_signed, empty.rms, empty.nmse, empty.cosine, empty.expected_absmax, empty.ratio()})
    EXPECT_TRUE(std::isnan(x));
  const auto zeros = compare::compare(truth({0, 0}), f32({0, 0}), {});
  EXPECT_TRUE(std::isnan(zeros.max_rel.value) && std::isnan(zeros.nmse) && std::isnan(zeros.cosine));
  EXPECT_EQ(zeros.max_abs.value, 0);
  EXPECT_TRUE(std::isnan(compare::compare(line<std::int32_t>({1}), line<std::int32_t>({1}), {}).max_ulp.value));
}

TEST(Compare, UlpsAreThoseOfTheDtype) {
  EXPECT_EQ(compare::ulp_of(1, DType::f32), 0x1p-23);
  EXPECT_EQ(compare::ulp_of(-1.99, DType::f16), 0x1p-10);
  EXPECT_EQ(compare::ulp_of(2, DType::bf16), 0x1p-6);
  EXPECT_EQ(compare::ulp_of(0, DType::f16), 0x1p-24);
  EXPECT_EQ(compare::ulp_of(1e-300, DType::f32), 0x1p-149);
  EXPECT_EQ(compare::ulp_of(0, DType::f64), 0x1p-1074);
  EXPECT_EQ(compare::ulp_of(1e300, DType::f32), 0x1p104);  // that of the largest finite number
  EXPECT_EQ(core::float_format(DType::f16).overflow(), 65520);
}

TEST(Compare, QuantilesOfUlpsAreExactForSmallTensors) {
  const std::vector<double> y(1000, 1.0);
  std::vector<float> c;
  for (int i = 0; i < 1000; ++i) c.push_back(1 + static_cast<float>(i) * 0x1p-23f);
  const auto result = compare::compare(truth(y), f32(c), within(1));
  EXPECT_EQ(result.ulp_p50, 499);
  EXPECT_EQ(result.ulp_p99, 989);
  EXPECT_EQ(result.ulp_p999, 998);
  EXPECT_EQ(result.max_ulp.value, 999);
}

TEST(Compare, QuantilesOfLargeTensorsAreWithinHalfAPercent) {
  const std::vector<double> y(200'000, 1.0);
  std::vector<float> c;
  for (int i = 0; i < 200'000; ++i) c.push_back(1 + static_cast<float>(i) * 0x1p-23f);
  const auto result = compare::compare(truth(y), f32(c), within(1));
  EXPECT_NEAR(result.ulp_p50, 100'000, 400);
  EXPECT_NEAR(result.ulp_p99, 198'000, 800);
}

/// Pieces of large tensors are whoever's has time: numbers that repeat, so that many are the worst.
TEST(Compare, GivesEqualBitsHoweverThreadsShareTheWork) {
  std::vector<double> y;
  std::vector<float> c;
  for (int i = 0; i < 300'000; ++i) {
    y.push_back(std::sin(i % 1000));
    c.push_back(static_cast<float>(y.back()) + static_cast<float>(i % 100) * 1e-7f);
  }
  const Tensor expected = truth(y), got = f32(c);
  const auto first = compare::compare(expected, got, within(1e-5));
  EXPECT_EQ(first.worst.front().index, first.max_abs.index);
  EXPECT_LT(first.worst.back().index, 99'000u);  // among equals those that come first
  for (int time = 0; time < 20; ++time) {
    const auto again = compare::compare(expected, got, within(1e-5));
    EXPECT_EQ(again.mean_signed, first.mean_signed);
    EXPECT_EQ(again.rms, first.rms);
    EXPECT_EQ(again.cosine, first.cosine);
    EXPECT_EQ(again.max_rel.index, first.max_rel.index);
    EXPECT_EQ(again.ulp_p50, first.ulp_p50);
    EXPECT_EQ(again.ratio_p99, first.ratio_p99);
    EXPECT_EQ(again.hist_ulp, first.hist_ulp);
    EXPECT_EQ(again.hist_ratio, first.hist_ratio);
    for (std::size_t k = 0; k < first.worst.size(); ++k) EXPECT_EQ(again.worst[k].index, first.worst[k].index);
  }
}

TEST(Compare, HistogramsAreSignedAndComplete) {
  const auto edges = compare::ulp_edges();
  EXPECT_TRUE(std::ranges::is_sorted(edges));
  EXPECT_TRUE(std::ranges::is_sorted(compare::ratio_edges()));
  const auto bin_of = [&](double ulps) {
    return static_cast<std::size_t>(std::ranges::upper_bound(edges, ulps) - edges.begin() - 1);
  };
  const auto c = compare::compare(truth({1, 1, 1, 1, 1}),
                                  f32({1, 1 + 0x1p-23f, 1 - 1.5f * 0x1p-22f, 3e38f, 1 + 5 * 0x1p-23f}), within(1));
  for (const double ulps : {0.0, 1.0, -3.0, 3e38 * 0x1p23, 5.0}) EXPECT_EQ(c.hist_ulp[bin_of(ulps)], 1u) << ulps;
  EXPECT_EQ(c.hist_ratio[compare::Comparison::ratio_bins - 1], 1u);
  EXPECT_EQ(c.hist_ratio[0], 5u - 1u);
}

TEST(Compare, RatiosAreBinnedByTheirEdges) {
  const auto edges = compare::ratio_edges();
  for (std::size_t k = 1; k + 1 < edges.size(); ++k) {
    const double ratio = edges[k] * 1.1;
    const auto c = compare::compare(truth({0}), line<double>({ratio}), within(1));
    EXPECT_EQ(c.hist_ratio[k], 1u) << ratio;
  }
}

TEST(Compare, ALimitThatIsNotFiniteLetsNothingPass) {
  constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
  for (const std::int64_t n : {3, 700}) {  // looked at one by one, and in blocks
    const Tensor zeros({DType::f64, {n}});
    for (const double odd : {no_number, std::numeric_limits<double>::infinity()}) {
      Tensor limits({DType::f64, {n}});
      std::ranges::fill(limits.as<double>(), 1.0);
      limits.as<double>()[1] = odd;
      compare::Allowed allowed{.rule = compare::Allowed::Rule::within};
      allowed.limits = std::make_shared<const compare::Limits>(compare::Limits{limits, limits});
      Tensor got({DType::f32, {n}});
      got.as<float>()[1] = 0.5f;
      if (n == 3) got.as<float>()[2] = no_number;
      const auto found = compare::compare(zeros, got, allowed);
      EXPECT_EQ(found.n_without_limit, 1u) << n << ' ' << odd;
      EXPECT_EQ(found.n_bad, n == 3 ? 2u : 1u) << n << ' ' << odd;
    }
  }
}

TEST(Compare, AComplexElementIsOneElement) {
  using c64 = std::complex<float>;
  using c128 = std::complex<double>;
  const auto c = compare::compare(line<c128>({{3, 4}, {1, 0}}), line<c64>({{3.5f, 4.5f}, {1, 0}}), within(0.25));
  EXPECT_EQ(c.n, 2u);
  EXPECT_EQ(c.n_bad, 1u);
  EXPECT_EQ(c.max_rel.value, 0.1);  // relative to the modulus, 5
  EXPECT_EQ(compare::compare(line<c128>({{nan, 0}}), line<c64>({{0, NAN}}), within(1)).n_bad, 1u);
}

/// verdict.md V36: what is not finite in one part has no influence on the limit of the other.
TEST(Compare, AFinitePartHasItsOwnLimitBesideOneThatIsNot) {
  using c64 = std::complex<float>;
  using c128 = std::complex<double>;
  compare::Allowed tenth{.rule = Rule::within};
  tenth.relative = 0.1;
  for (const double odd : {nan, inf, -inf})
    for (const bool is_first : {false, true}) {
      const auto compared = [&](float other) {
        const auto special = static_cast<float>(odd);
        return compare::compare(line<c128>({is_first ? c128(odd, 4) : c128(4, odd)}),
                                line<c64>({is_first ? c64(special, other) : c64(other, special)}), tenth);
      };
      const auto close = compared(4.25f), far = compared(4.5f);
      EXPECT_EQ(close.n_without_limit + far.n_without_limit, 0u) << odd << ' ' << is_first;
      EXPECT_EQ(close.n_bad, 0u) << odd << ' ' << is_first;
      EXPECT_EQ(far.n_bad, 1u) << odd << ' ' << is_first;
      EXPECT_EQ(close.max_rel.value, 0.0625) << odd << ' ' << is_first;
    }
}

TEST(Compare, ShapesMustBeTheSame) {
  EXPECT_THROW(compare::compare(Tensor({DType::f64, {1}}), Tensor({DType::f32, {}}), {}), ir::Error);
  EXPECT_THROW(compare::compare(Tensor({DType::f64, {2, 3}}), Tensor({DType::f32, {3, 2}}), {}), ir::Error);
  EXPECT_THROW(compare::compare(Tensor({DType::f64, {2}}), Tensor({DType::i32, {2}}), {}), ir::Error);
}

TEST(Compare, AllowedIsTheLargestOfItsPartsAndTheStorageOnTop) {
  const compare::Allowed allowed{.rule = Rule::within, .relative = 0.5, .absolute = 2, .storage = 0.5};
  EXPECT_EQ(allowed.at(1, DType::f32), 2 + 0x1p-24);
  EXPECT_EQ(allowed.at(8, DType::f16), 4 + 0x1p-8);
  EXPECT_EQ((compare::Allowed{.rule = Rule::within, .ulps = 8}.at(1, DType::f16)), 8 * 0x1p-23);  // computed in f32
}

}  // namespace
}  // namespace plumb::parity::compare_test

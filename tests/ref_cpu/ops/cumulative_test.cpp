#include "ir/ops/cumulative.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <limits>

#include "tests/ref_cpu/run_one.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ref_cpu::cumulative_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Cumulative;
using plumb::testing::check_cpu;
using F = ir::ops::CumulativeFunction;

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

Tensor f32(std::vector<float> values) {
  const auto n = static_cast<std::int64_t>(values.size());
  return Tensor::of<float>({n}, values);
}

TEST(Cumulative, ExclusiveAndReverseAsOnnxHasThem) {
  const Tensor x = f32({1, 2, 3});
  check_cpu(Cumulative{}, {x}, {f32({1, 3, 6})});
  check_cpu(Cumulative{.exclusive = true}, {x}, {f32({0, 1, 3})});
  check_cpu(Cumulative{.reverse = true}, {x}, {f32({6, 5, 3})});
  check_cpu(Cumulative{.exclusive = true, .reverse = true}, {x}, {f32({5, 3, 0})});
  check_cpu(Cumulative{F::product, 0, true}, {x}, {f32({1, 1, 2})});
  check_cpu(Cumulative{F::max, 0, true}, {x}, {f32({-infinity, 1, 2})});
  check_cpu(Cumulative{F::min, 0, true, true}, {x}, {f32({2, 3, infinity})});
}

TEST(Cumulative, IntegersStartAtTheEndsOfTheirRangeAndWrap) {
  const Tensor x = Tensor::of<std::int8_t>({3}, {100, 100, -3});
  check_cpu(Cumulative{}, {x}, {Tensor::of<std::int8_t>({3}, {100, -56, -59})});
  check_cpu(Cumulative{F::product}, {x}, {Tensor::of<std::int8_t>({3}, {100, 16, -48})});
  check_cpu(Cumulative{F::max, 0, true}, {x}, {Tensor::of<std::int8_t>({3}, {-128, 100, 100})});
  check_cpu(Cumulative{F::min, 0, true}, {x}, {Tensor::of<std::int8_t>({3}, {127, 100, 100})});
}

TEST(Cumulative, EverythingAfterNaNIsNaN) {
  const Tensor x = f32({1, nan, -infinity, 5});
  for (const F function : {F::sum, F::product, F::max, F::min})
    check_cpu(Cumulative{function}, {x}, {f32({1, nan, nan, nan})});
  check_cpu(Cumulative{}, {f32({1, infinity, 2, -infinity, 3})}, {f32({1, infinity, infinity, nan, nan})});
}

/// Two products beyond the range make a NaN, and the rounded products of equal parts leave nothing: one that is fused
/// with the difference would make an infinity, and what the other one lost.
TEST(Cumulative, ProductsOfComplexNumbersAreNotFused) {
  using Z = std::complex<double>;
  constexpr double beyond = std::numeric_limits<double>::infinity();
  const double none = std::numeric_limits<double>::quiet_NaN(), more = 1 + 0x1p-30;
  const Cumulative product{F::product, 0};
  const std::vector<Z> x = {{3e307, 4e307}, {more, more}, {4e307, 5e307}, {more, more}};
  const Tensor y = run_one(product, {Tensor::of<Z>({2, 2}, x)});
  const auto made = y.as<Z>();
  EXPECT_TRUE(std::isnan(made[2].real())) << made[2];
  EXPECT_EQ(made[2].imag(), beyond);
  EXPECT_EQ(made[3].real(), 0) << made[3];
  check_cpu(product, {Tensor::of<Z>({2, 2}, x)}, {Tensor::of<Z>({2, 2}, {x[0], x[1], {none, beyond}, made[3]})});
}

TEST(Cumulative, SumsOfAMillionTermsKeepTheSmallOnes) {
  constexpr std::size_t n = 1'000'002;
  std::vector<float> x(n), sums(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = i % 3 == 0 ? 1e8f : i % 3 == 1 ? -1e8f : 1.0f;
    const double small = static_cast<double>((i + 1) / 3);
    sums[i] = static_cast<float>(i % 3 == 0 ? 1e8 + small : small);
  }
  const Tensor y = run_one(Cumulative{}, {f32(x)});
  EXPECT_TRUE(std::ranges::equal(y.as<float>(), sums));
}

TEST(Cumulative, IsTheDefinitionAlongEveryAxis) {
  const ir::Shape shape{3, 37, 19};
  const Tensor x = plumb::testing::random_tensor({DType::f64, shape}, 1);
  const std::pair<F, std::function<double(double, double)>> functions[] = {
      {F::sum, [](double a, double b) { return a + b; }},
      {F::product, [](double a, double b) { return a * b; }},
      {F::max, [](double a, double b) { return std::max(a, b); }},
      {F::min, [](double a, double b) { return std::min(a, b); }}};
  for (const auto& [function, of] : functions)
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      const auto lines = ir::along(shape, axis);
      Tensor y({DType::f64, shape});
      for (std::int64_t line = 0; line < lines.count(); ++line)
        for (std::int64_t k = 0; k < lines.length; ++k) {
          const double value = x.as<double>()[lines.at(line, k)];
          y.as<double>()[lines.at(line, k)] = k == 0 ? value : of(y.as<double>()[lines.at(line, k - 1)], value);
        }
      check_cpu(Cumulative{function, axis}, {x}, {y});
    }
}

TEST(Cumulative, OfComplexNumbers) {
  using C = std::complex<double>;
  const Tensor x = Tensor::of<C>({3}, {{1, 2}, {3, -1}, {0, 1}});
  check_cpu(Cumulative{}, {x}, {Tensor::of<C>({3}, {{1, 2}, {4, 1}, {4, 2}})});
  check_cpu(Cumulative{F::product}, {x}, {Tensor::of<C>({3}, {{1, 2}, {5, 5}, {-5, 5}})});
}

}  // namespace
}  // namespace plumb::ref_cpu::cumulative_test

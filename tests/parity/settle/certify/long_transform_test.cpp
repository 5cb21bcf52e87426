// The truth of f64 transforms has more digits than f64.
#include "parity/settle/certify/long_transform.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ir/ops/fft.hpp"
#include "ir/ops/irfft.hpp"
#include "ir/ops/rfft.hpp"
#include "parity/judges/lines.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/parity/judges/stand_ins.hpp"

namespace plumb::parity::settle::certify::long_transform_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::kernels::FourierNorm;
using Complex = std::complex<double>;

Tensor drawn(const ir::TensorType& type) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Tensor x(type);
  const std::span<double> numbers(reinterpret_cast<double*>(x.bytes().data()), x.bytes().size() / sizeof(double));
  for (double& number : numbers) number = normal(random);
  return x;
}

/// By the definition, in long double, of element k of a line.
std::complex<long double> by_definition(const std::vector<Complex>& x, std::int64_t k, int sign) {
  std::complex<long double> sum = 0;
  const std::int64_t n = std::ssize(x);
  for (std::int64_t j = 0; j < n; ++j) {
    const auto w = ir::kernels::root_of_unity(sign * j * k % n, n);
    sum += std::complex<long double>(x[static_cast<std::size_t>(j)]) * w;
  }
  return sum;
}

TEST(LongTransform, IsTheDefinitionRounded) {
  for (const std::int64_t n : {1, 2, 5, 12, 97, 128})
    for (const bool inverse : {false, true}) {
      const Tensor x = drawn({DType::c128, {n, 2}});  // lines are columns
      const compare::Line line = compare::Line::along(x.shape(), 0, 0);
      const auto made = transformed_in_long_double(x, x,
                                                   {.kind = inverse ? TransformKind::inverse : TransformKind::forward,
                                                    .length = n,
                                                    .scale = 1,
                                                    .of_x = line,
                                                    .of_y = line});
      ASSERT_TRUE(made);
      for (std::int64_t c = 0; c < 2; ++c) {
        std::vector<Complex> column;
        for (std::int64_t j = 0; j < n; ++j) column.push_back(x.as<Complex>()[static_cast<std::size_t>(2 * j + c)]);
        for (std::int64_t k = 0; k < n; ++k) {
          const auto wanted = by_definition(column, k, inverse ? -1 : 1);
          const Complex got = made->as<Complex>()[static_cast<std::size_t>(2 * k + c)];
          const auto off = static_cast<double>(std::abs(std::complex<long double>(got) - wanted));
          EXPECT_LE(off, 0x1p-53 * std::abs(got) * 1.5 + 0x1p-60) << n << " points, bin " << k;
        }
      }
    }
}

TEST(LongTransform, KnowsHalfSpectraAndScales) {
  ref_cpu::CpuExecutor cpu;
  for (const std::int64_t n : {1, 2, 9, 30, 128})
    for (const FourierNorm norm : {FourierNorm::backward, FourierNorm::ortho, FourierNorm::forward}) {
      const Tensor x = drawn({DType::f64, {3, n}});
      const ir::ops::Rfft rfft{.axis = -1, .norm = norm};
      const Tensor half = ir::run_op(cpu, rfft, {x}).front();
      const compare::Line of_x = compare::Line::along(x.shape(), -1, -1),
                          of_y = compare::Line::along(half.shape(), -1, -1);
      const std::vector<ir::TensorType> in = {x.type()}, back = {half.type()};
      const auto forth = transformed_in_long_double(
          x, half, {.length = n, .scale = rfft.scale(in), .of_x = of_x, .of_y = of_y, .real_at = bounds::real_bins(n)});
      ASSERT_TRUE(forth);
      for (std::size_t i = 0; i < half.as<Complex>().size(); ++i)
        EXPECT_LT(std::abs(forth->as<Complex>()[i] - half.as<Complex>()[i]), 1e-13) << n;
      const ir::ops::Irfft irfft{.n = n, .axis = -1, .norm = norm};
      const auto returned = transformed_in_long_double(
          half, x,
          {.kind = TransformKind::real_inverse, .length = n, .scale = irfft.scale(back), .of_x = of_y, .of_y = of_x});
      ASSERT_TRUE(returned);
      for (std::size_t i = 0; i < x.as<double>().size(); ++i)
        EXPECT_NEAR(returned->as<double>()[i], x.as<double>()[i], 1e-14) << n;
    }
}

/// A prime of five digits would take the square of that.
TEST(LongTransform, IsNotMadeWhereThatTakesLong) {
  const Tensor x = drawn({DType::c128, {65537}});
  const compare::Line line = compare::Line::along(x.shape(), 0, 0);
  EXPECT_FALSE(transformed_in_long_double(x, x, {.length = 65537, .of_x = line, .of_y = line}));
}

/// 1.5 u sqrt(log2 n) of the norm and a roundoff of the truth are allowed (ops.md 10), not twice that.
TEST(LongTransform, HoldsF64ToTheLimitThatOthersHave) {
  const ir::ops::Fft op{};
  const auto kernel = [](const ir::Op& of, ref_cpu::Call& call) {
    ref_cpu::CpuExecutor plain;
    const Tensor y = ir::run_op(plain, of, {Tensor(call.in(0))}).front();
    std::ranges::copy(y.as<Complex>(), call.out(0).as<Complex>().begin());
  };
  const testing::Taught fft{op, kernel, *judges::find_judge(op)};
  const std::int64_t n = 1024;
  const Tensor x = drawn({DType::c128, {1, n}});
  ref_cpu::CpuExecutor cpu;
  const Tensor right = ir::run_op(cpu, op, {x}).front();
  EXPECT_EQ(testing::finding(testing::judged(fft, {x}, {right})), "");
  const auto spoiled = [&](double roundoffs) {
    Tensor y = right;
    for (Complex& z : y.as<Complex>()) z *= 1 + roundoffs * 0x1p-53;
    return testing::finding(testing::judged(fft, {x}, {y}));
  };
  EXPECT_EQ(spoiled(4), "");
  EXPECT_NE(spoiled(8), "");  // 1.5 sqrt(10) + 1 is 5.7, and twice 1.5 sqrt(10) is 9.5
}

}  // namespace
}  // namespace plumb::parity::settle::certify::long_transform_test

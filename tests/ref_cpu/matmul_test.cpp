#include "ir/ops/matmul.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "ir/convert.hpp"
#include "ir/ops/gemm.hpp"
#include "tests/ref_cpu/run_one.hpp"

namespace plumb::ref_cpu::matmul_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;

/// Small whole numbers: every product and sum of them is exact in every dtype's compute type.
Tensor whole_numbers(DType dtype, const Shape& shape, unsigned seed, int most = 7) {
  Tensor tensor({dtype, shape});
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> number(-most, most);
  ir::visit_any(dtype, [&]<class T>(T) {
    for (T& x : tensor.as<T>()) {
      if constexpr (ir::is_complex(ir::dtype_of<T>))
        x = T(number(random), number(random));
      else
        x = ir::convert_value<T>(number(random));
    }
  });
  return tensor;
}

struct Case {
  Shape a, b, y;
  bool transpose_a = false, transpose_b = false;
};

/// Element (row, column) of matrix `batch` of x seen through broadcasting.
std::size_t position(const Shape& x, const Shape& y, std::int64_t batch, std::int64_t row, std::int64_t column) {
  const auto strides = ir::broadcast_strides(x.leading(x.size() - 2), y.leading(y.size() - 2));
  std::int64_t offset = 0;
  for (std::size_t i = y.size() - 2; i-- > 0; batch /= y[i]) offset += batch % y[i] * strides[i];
  return static_cast<std::size_t>((offset * x[x.size() - 2] + row) * x[x.size() - 1] + column);
}

class ExactMatmul : public ::testing::TestWithParam<std::tuple<DType, Case>> {};

/// By the formula, one sum at a time; sums of whole numbers up to 49 * 4096 are exact in f32.
TEST_P(ExactMatmul, FollowsTheFormula) {
  const auto& [dtype, c] = GetParam();
  const Tensor a = whole_numbers(dtype, c.a, 1), b = whole_numbers(dtype, c.b, 2);
  ir::ops::Matmul op{c.transpose_a, c.transpose_b, {}};
  if (dtype == DType::f16 || dtype == DType::bf16) op.output_dtype = DType::f32;  // whose sums are exact
  const Tensor y = run_one(op, {a, b});
  ASSERT_EQ(y.shape(), c.y);
  const bool turn_a = c.transpose_a, turn_b = c.transpose_b;
  const auto &sa = c.a, &sb = c.b, &sy = c.y;
  const std::int64_t m = sy[sy.size() - 2], n = sy[sy.size() - 1], k = sa[sa.size() - (turn_a ? 2 : 1)];
  ir::visit_any(dtype, [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const auto av = a.as<T>(), bv = b.as<T>();
    const auto yv = y.as<C>();
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      const auto batch = i / (m * n), row = i / n % m, column = i % n;
      std::conditional_t<ir::is_complex(ir::dtype_of<T>), std::complex<double>, double> sum = 0;
      for (std::int64_t t = 0; t < k; ++t) {
        const T l = av[position(sa, sy, batch, turn_a ? t : row, turn_a ? row : t)];
        const T r = bv[position(sb, sy, batch, turn_b ? column : t, turn_b ? t : column)];
        if constexpr (ir::is_complex(ir::dtype_of<T>))
          sum += std::complex<double>(l) * std::complex<double>(r);
        else
          sum += static_cast<double>(l) * static_cast<double>(r);
      }
      ASSERT_EQ(yv[static_cast<std::size_t>(i)], ir::convert_value<C>(sum)) << "element " << i;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    , ExactMatmul,
    ::testing::Combine(::testing::Values(DType::f16, DType::bf16, DType::f32, DType::f64, DType::i32, DType::i64,
                                         DType::c64, DType::c128),
                       ::testing::Values(Case{{2, 3}, {3, 2}, {2, 2}},                     //
                                         Case{{1, 1}, {1, 1}, {1, 1}},                     //
                                         Case{{3, 4096}, {4096, 2}, {3, 2}},               //
                                         Case{{65, 17}, {17, 63}, {65, 63}},               // off a panel by one
                                         Case{{17, 65}, {17, 63}, {65, 63}, true, false},  //
                                         Case{{65, 17}, {63, 17}, {65, 63}, false, true},  //
                                         Case{{17, 65}, {63, 17}, {65, 63}, true, true},   //
                                         Case{{2, 1, 3, 5}, {1, 3, 5, 7}, {2, 3, 3, 7}},   // both stretched
                                         Case{{4, 3, 5}, {7, 5}, {4, 3, 7}, false, true},  //
                                         Case{{3, 0}, {0, 2}, {3, 2}},                     // an empty sum is 0
                                         Case{{0, 3}, {3, 2}, {0, 2}},                     //
                                         Case{{2, 0, 3, 2}, {2, 5}, {2, 0, 3, 5}},         //
                                         Case{{300, 9}, {9, 700}, {300, 700}})));          // several panels

TEST(Matmul, IntegersWrap) {
  const auto a = Tensor::of<std::int32_t>({1, 2}, {std::numeric_limits<std::int32_t>::max(), 65536});
  const auto b = Tensor::of<std::int32_t>({2, 1}, {3, 65537});
  EXPECT_EQ(run_one(ir::ops::Matmul{}, {a, b}).as<std::int32_t>()[0], -2147418115);  // 2^31 + 65533
  const auto c = Tensor::of<std::uint32_t>({1, 1}, {0xFFFFFFFFu});
  EXPECT_EQ(run_one(ir::ops::Matmul{}, {c, c}).as<std::uint32_t>()[0], 1u);
}

TEST(Matmul, InfinityTimesZeroIsNan) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::int64_t k : {2, 40}) {
    std::vector<float> row(static_cast<std::size_t>(k), 1), column(static_cast<std::size_t>(k), 1);
    row[0] = inf;
    column[0] = 0;
    const auto y = run_one(ir::ops::Matmul{}, {Tensor::of<float>({1, k}, row), Tensor::of<float>({k, 1}, column)});
    EXPECT_TRUE(std::isnan(y.as<float>()[0])) << "k = " << k;
  }
}

TEST(Matmul, RoundsSixteenBitFloatsOnceFromTheFullSum) {
  // 2048 + 1 + 1: each 1 alone is half a unit of f16 and would be lost.
  const auto ones = Tensor::of<ir::f16>({3, 1}, {ir::f16(1.0f), ir::f16(1.0f), ir::f16(1.0f)});
  const auto a = Tensor::of<ir::f16>({1, 3}, {ir::f16(2048.0f), ir::f16(1.0f), ir::f16(1.0f)});
  EXPECT_EQ(static_cast<float>(run_one(ir::ops::Matmul{}, {a, ones}).as<ir::f16>()[0]), 2050.0f);
  const auto y = run_one(ir::ops::Matmul{false, false, DType::f32},
                         {Tensor::of<ir::f16>({1, 3}, {ir::f16(2048.0f), ir::f16(1.0f), ir::f16(0.25f)}), ones});
  EXPECT_EQ(y.as<float>()[0], 2049.25f);
}

TEST(Matmul, LargeOffsetsCancelInTheOrderOfSummationOnly) {
  const auto a = Tensor::of<double>({1, 4}, {1e16, 3, -1e16, 4});
  const auto b = Tensor::of<double>({4, 1}, {1, 1, 1, 1});
  EXPECT_NEAR(run_one(ir::ops::Matmul{}, {a, b}).as<double>()[0], 7, 4);  // half a unit at 1e16, twice
}

TEST(Matmul, TheBitsDoNotDependOnTheThreads) {
  std::mt19937 random(3);
  std::normal_distribution<float> number;
  const auto filled = [&](Shape shape) {
    Tensor x({DType::f32, std::move(shape)});
    for (float& value : x.as<float>()) value = number(random);
    return x;
  };
  const Case cases[] = {{{129, 769}, {769, 301}, {}}, {{12, 65, 33}, {12, 33, 17}, {}}, {{1, 4096}, {4096, 333}, {}}};
  for (const Case& c : cases) {
    const std::vector<Tensor> operands = {filled(c.a), filled(c.b)};
    const Tensor once = run_one(ir::ops::Matmul{}, operands, 1);
    for (const int threads : {2, 7, 16})
      EXPECT_TRUE(std::ranges::equal(run_one(ir::ops::Matmul{}, operands, threads).bytes(), once.bytes()))
          << threads << " threads, " << c.a << " by " << c.b;
  }
}

TEST(Gemm, ScalesAddsAndRoundsOnce) {
  const auto h = [](float x) { return ir::f16(x); };
  const auto a = Tensor::of<ir::f16>({1, 2}, {h(1024), h(1)}), b = Tensor::of<ir::f16>({2, 1}, {h(1), h(1)});
  const auto c = Tensor::of<ir::f16>({}, {h(1)});
  ir::ops::Gemm op;
  op.alpha = 2;
  op.beta = 0.5;
  op.has_c = true;
  // 2 * 1025 + 0.5 = 2050.5, rounded at the end; spacing there is 2
  EXPECT_EQ(static_cast<float>(run_one(op, {a, b, c}).as<ir::f16>()[0]), 2050.0f);
  op.alpha = 0.5;
  op.beta = 1;
  EXPECT_EQ(static_cast<float>(run_one(op, {a, b, c}).as<ir::f16>()[0]), 513.5f);
}

TEST(Gemm, BroadcastsCAndTurnsItsOperands) {
  const auto a = whole_numbers(DType::f64, {3, 65}, 1), b = whole_numbers(DType::f64, {70, 3}, 2);
  const Tensor product = run_one(ir::ops::Matmul{true, true, {}}, {a, b});
  for (const Shape& shape : {Shape{}, Shape{70}, Shape{1, 70}, Shape{65, 1}, Shape{65, 70}}) {
    const auto c = whole_numbers(DType::f64, shape, 3);
    ir::ops::Gemm op{3, -2, true, true, true};
    const Tensor y = run_one(op, {a, b, c});
    const auto strides = ir::broadcast_strides(shape, {65, 70});
    for (std::size_t i = 0; i < 65 * 70; ++i) {
      const auto at = static_cast<std::size_t>(static_cast<std::int64_t>(i / 70) * strides[0] +
                                               static_cast<std::int64_t>(i % 70) * strides[1]);
      ASSERT_EQ(y.as<double>()[i], 3 * product.as<double>()[i] - 2 * c.as<double>()[at]) << "c is " << shape;
    }
  }
}

TEST(Gemm, ZeroTimesNanIsNan) {
  const auto one = Tensor::of<float>({1, 1}, {1});
  const auto nan = Tensor::of<float>({1}, {std::numeric_limits<float>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(run_one(ir::ops::Gemm{1, 0, false, false, true}, {one, one, nan}).as<float>()[0]));
  const auto inf = Tensor::of<float>({1, 1}, {std::numeric_limits<float>::infinity()});
  EXPECT_TRUE(std::isnan(run_one(ir::ops::Gemm{0, 1, false, false, false}, {one, inf}).as<float>()[0]));
}

TEST(Gemm, AnEmptySumLeavesBetaTimesC) {
  const auto c = Tensor::of<float>({2}, {4, 6});
  const Tensor y = run_one(ir::ops::Gemm{1, 0.5, false, false, true},
                           {Tensor({DType::f32, {3, 0}}), Tensor({DType::f32, {0, 2}}), c});
  EXPECT_TRUE(std::ranges::equal(y.as<float>(), std::vector<float>{2, 3, 2, 3, 2, 3}));
}

}  // namespace
}  // namespace plumb::ref_cpu::matmul_test

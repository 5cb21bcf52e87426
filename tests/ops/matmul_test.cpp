#include "ir/ops/matmul.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/op_check.hpp"

namespace plumb::matmul_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::Matmul;
using testing::check_op;
using testing::random_tensor;

struct Case {
  Shape a, b;
  bool transpose_a = false, transpose_b = false;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.a << (c.transpose_a ? "T" : "") << c.b; }

constexpr auto dtypes = {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32,
                         DType::u32, DType::i64, DType::c64,  DType::c128};

class MatmulOf : public ::testing::TestWithParam<DType> {};

TEST_P(MatmulOf, AgreesOnEveryShapeAndTransposition) {
  const Case cases[] = {
      {{1, 1}, {1, 1}},
      {{2, 3}, {3, 2}},
      {{7, 8}, {8, 9}},                   // around a tile of 8
      {{17, 16}, {16, 15}},               // around a tile of 16
      {{65, 63}, {63, 64}},               // around a tile of 64
      {{33, 65}, {33, 31}, true, false},  //
      {{65, 33}, {31, 33}, false, true},  //
      {{33, 65}, {31, 33}, true, true},   //
      {{1, 300}, {300, 70}},              // a row
      {{300, 1}, {70, 300}, true, true},
      {{70, 300}, {300, 1}},  // a column
      {{300, 70}, {1, 300}, true, true},
      {{3, 1, 65}, {3, 65, 1}},  // one number each
      {{5, 1, 33}, {1, 33, 40}},
      {{3, 4096}, {4096, 5}},        // a long sum
      {{2, 1, 5, 7}, {1, 3, 7, 6}},  // both batches stretched
      {{2, 3, 1, 2, 5, 4}, {3, 2, 1, 6, 4}, false, true},
      {{4, 17, 9}, {9, 5}},  // one matrix for all
      {{3, 0}, {0, 2}},      // an empty sum
      {{0, 3}, {3, 2}},      // an empty result
      {{2, 0, 3, 2}, {2, 5}},
  };
  std::uint64_t seed = 1;
  for (const Case& c : cases) {
    SCOPED_TRACE(c);
    check_op(Matmul{c.transpose_a, c.transpose_b, {}},
             {random_tensor({GetParam(), c.a}, seed), random_tensor({GetParam(), c.b}, seed + 1)});
    seed += 2;
  }
}

INSTANTIATE_TEST_SUITE_P(, MatmulOf, ::testing::ValuesIn(dtypes),
                         [](const auto& test) { return std::string(ir::info(test.param).name); });

TEST(Matmul, LeavesTheSumOfSixteenBitOperandsUnrounded) {
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const bool turned : {false, true})
      check_op(Matmul{turned, !turned, DType::f32},
               {random_tensor({dtype, turned ? Shape{77, 37} : Shape{37, 77}}, 1),
                random_tensor({dtype, turned ? Shape{77, 45} : Shape{45, 77}}, 2)});
}

TEST(Matmul, MaySumInF16) {
  const Matmul op{.output_dtype = DType::f32, .accumulator = DType::f16};
  check_op(op, {random_tensor({DType::f16, {37, 77}}, 1), random_tensor({DType::f16, {77, 45}}, 2)});
  check_op(op, {random_tensor({DType::f16, {256, 264}}, 1), random_tensor({DType::f16, {264, 256}}, 2)});
  check_op(op, {random_tensor({DType::f16, {3, 0}}, 1), random_tensor({DType::f16, {0, 2}}, 2)});
}

TEST(Matmul, TakesEveryTileSize) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    check_op(Matmul{}, {random_tensor({dtype, {130, 65, 20}}, 1), random_tensor({dtype, {20, 127}}, 2)});
    check_op(Matmul{}, {random_tensor({dtype, {33, 65, 20}}, 1), random_tensor({dtype, {20, 127}}, 2)});
    check_op(Matmul{}, {random_tensor({dtype, {65, 20}}, 1), random_tensor({dtype, {20, 127}}, 2)});
    check_op(Matmul{}, {random_tensor({dtype, {7, 20}}, 1), random_tensor({dtype, {20, 8}}, 2)});
  }
}

/// Operands whose lines allow accesses of 16 bytes, with every transposition that the dtype takes: m x k by k x n.
void check_wide(DType dtype, std::int64_t m, std::int64_t k, std::int64_t n, const Shape& batch = {}) {
  std::size_t number = static_cast<std::size_t>(m + n) / 8;  // either dtype of 16 bits has two of four
  for (const bool turned_a : {false, true})
    for (const bool turned_b : {false, true}) {
      if (!testing::takes_case(dtype, number++)) continue;
      Shape a = batch, b = batch;
      a.push_back(turned_a ? k : m);
      a.push_back(turned_a ? m : k);
      b.push_back(turned_b ? n : k);
      b.push_back(turned_b ? k : n);
      SCOPED_TRACE(ir::cat(dtype, " ", a, turned_a ? " turned" : "", " by ", b, turned_b ? " turned" : ""));
      check_op(Matmul{turned_a, turned_b, {}}, {random_tensor({dtype, a}, 1), random_tensor({dtype, b}, 2)});
    }
}

TEST(Matmul, ReadsSixteenBytesAtATime) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    check_wide(dtype, 8, 8, 8);
    check_wide(dtype, 72, 40, 24);       // ends of tiles and of terms
    check_wide(dtype, 56, 136, 200);     //
    check_wide(dtype, 64, 64, 64, {3});  // whole tiles
    check_wide(dtype, 16, 24, 40, {2, 3});
  }
}

/// On a device with cooperative matrices of 8 x 8 x 8 in turn each of the tiles that there are.
TEST(Matmul, TakesEveryTileOfCooperativeMatrices) {
  const std::pair<Shape, Shape> products[] = {
      {{44, 120, 24}, {24, 184}},  // 264 tiles of 64 x 64
      {{40, 120, 24}, {24, 184}},  // 320 of 64 x 48
      {{40, 120, 16}, {16, 128}},  // 160 of 64 x 64
      {{320, 96}, {96, 720}},      // 100 of 32 x 72
      {{552, 72}, {72, 552}},      // 324 of 32 x 32
      {{328, 136}, {136, 328}},    // 121 of 32 x 32, 64 terms deep
      {{232, 72}, {72, 264}},      // 135 of 16 x 32
  };
  for (const DType dtype : {DType::f16, DType::bf16})
    for (std::size_t k = 0; k < std::size(products); ++k) {
      if (!testing::takes_case(dtype, k)) continue;
      const auto& [a, b] = products[k];
      SCOPED_TRACE(ir::cat(dtype, " ", a, " by ", b));
      check_op(Matmul{}, {random_tensor({dtype, a}, 1), random_tensor({dtype, b}, 2)});
    }
}

TEST(Matmul, ReadsMatricesOfVectorsSixteenBytesAtATime) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const std::int64_t k : {8, 504, 2056})
      for (const std::int64_t n : {8, 72, 520}) {
        check_wide(dtype, 1, k, n);
        check_wide(dtype, n, k, 1, {2});
      }
}

TEST(Matmul, SplitsManyTermsBetweenWorkgroups) {
  check_wide(DType::f32, 72, 1024, 68);                // in 4, by the middle tiles
  check_wide(DType::f32, 8, 2064, 36);                 // in 8, by small tiles; the last of a slice is not whole
  check_wide(DType::f32, 64, 260, 64);                 // in none: slices would not begin at multiples of 4 terms
  for (const DType dtype : {DType::f16, DType::bf16})  // in 2 of 43 tiles by matrices of 8 x 8, the last not whole
    check_op(Matmul{}, {random_tensor({dtype, {16, 3072}}, 1), random_tensor({dtype, {3072, 1352}}, 2)});
}

TEST(Matmul, ReadsTheMatrixOfAFewRowsOnce) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const std::int64_t m : {2, 5, 8}) check_wide(dtype, m, 520, 520);
  check_wide(DType::f32, 3, 264, 1000, {2});
}

TEST(Matmul, ARowMayHaveAnyNumberOfTerms) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const std::int64_t k : {1, 7, 1001})
      check_op(Matmul{}, {random_tensor({dtype, {2, 1, k}}, 1), random_tensor({dtype, {2, k, 24}}, 2)});
}

TEST(Matmul, SubnormalNumbersOfAMatrixCount) {
  const double tiny = 0x1p-24, x = 3 * tiny;
  const auto matrix = ir::convert(Tensor::of<double>({8, 8}, std::vector<double>(64, x)), DType::f16);
  const auto row = ir::convert(Tensor::of<double>({1, 8}, std::vector<double>(8, 2)), DType::f16);
  const auto y = ir::convert(Tensor::of<double>({1, 8}, std::vector<double>(8, 16 * x)), DType::f16);
  testing::check_gpu(Matmul{}, {row, matrix}, {y});
  testing::check_gpu(Matmul{.transpose_b = true, .output_dtype = {}}, {row, matrix}, {y});
}

TEST(Matmul, HasPipelinesForLargeProducts) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    check_op(Matmul{}, {random_tensor({dtype, {264, 264}}, 1), random_tensor({dtype, {264, 264}}, 2)});
    check_op(Matmul{false, false, DType::f32},
             {random_tensor({dtype, {256, 256}}, 1), random_tensor({dtype, {256, 256}}, 2)});
  }
}

TEST(Matmul, HasMoreWorkgroupsThanOneDimensionHolds) {
  check_op(Matmul{}, {random_tensor({DType::f32, {65537, 2, 3}}, 1), random_tensor({DType::f32, {3, 2}}, 2)});
}

TEST(Matmul, InfinityTimesZeroIsNanAndNothingElseIs) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const auto a = ir::convert(Tensor::of<double>({2, 3}, {inf, 1, 2, 3, -inf, 1}), dtype);
    const auto b = ir::convert(Tensor::of<double>({3, 2}, {0, 1, 1, 1, 1, 1}), dtype);
    check_op(Matmul{}, {a, b});
    testing::check_gpu(Matmul{}, {a, b}, {ir::convert(Tensor::of<double>({2, 2}, {NAN, inf, -inf, -inf}), dtype)});
  }
}

TEST(Matmul, SixteenBitResultsOverflowToInfinityAtTheThreshold) {
  const auto a = ir::convert(Tensor::of<double>({2, 2}, {32768, 15.96875, 32768, 16}), DType::f16);
  const auto b = ir::convert(Tensor::of<double>({2, 1}, {1, 2047}), DType::f16);  // 65456.03 and 65520
  const double inf = std::numeric_limits<double>::infinity();
  testing::check_gpu(Matmul{}, {a, b}, {ir::convert(Tensor::of<double>({2, 1}, {65456.03, inf}), DType::f16)});
  testing::check_cpu(Matmul{}, {a, b}, {ir::convert(Tensor::of<double>({2, 1}, {65456.03, inf}), DType::f16)});
}

TEST(Matmul, SurvivesCancellation) {
  // Large offsets: the sums pass 10^6 and end near 1.
  const std::int64_t k = 512;
  Tensor a({DType::f32, {3, k}}), b({DType::f32, {k, 3}});
  for (std::int64_t i = 0; i < 3 * k; ++i) {
    a.as<float>()[static_cast<std::size_t>(i)] = (i % 2 == 0 ? 1000.0f : -1000.0f) + static_cast<float>(i % 7) / 8;
    b.as<float>()[static_cast<std::size_t>(i)] = 1 + static_cast<float>(i % 5) / 16;
  }
  check_op(Matmul{}, {a, b});
}

}  // namespace
}  // namespace plumb::matmul_test

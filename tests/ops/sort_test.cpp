#include "ir/ops/sort.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ir/ops/top_k.hpp"
#include "tests/support/op_check.hpp"
#include "tests/support/ordered_values.hpp"

namespace plumb::sort_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Sort;
using ir::ops::TopK;
using testing::check_op;
using testing::ordered_values;
using testing::random_tensor;

struct Case {
  ir::Shape shape;
  std::int64_t axis;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.shape << " along " << c.axis; }

class SortCases : public ::testing::TestWithParam<std::tuple<DType, Case>> {};

TEST_P(SortCases, Sort) {
  const auto& [dtype, c] = GetParam();
  const Tensor x = ordered_values({dtype, c.shape});
  check_op(Sort{c.axis, false}, {x});
  check_op(Sort{c.axis, true, DType::i32}, {x});
}

TEST_P(SortCases, TopK) {
  const auto& [dtype, c] = GetParam();
  if (dtype == DType::boolean) return;
  const Tensor x = ordered_values({dtype, c.shape}, 2);
  const std::int64_t n = c.shape[c.shape.axis(c.axis)];
  check_op(TopK{.k = n / 3, .axis = c.axis, .largest = false}, {x});
  check_op(TopK{.k = n / 2, .axis = c.axis, .sorted = false, .index_dtype = DType::i32}, {x});
  check_op(TopK{.k = n / 4, .axis = c.axis}, {x});
  check_op(TopK{.k = n / 5, .axis = c.axis, .largest = false, .sorted = false, .index_dtype = DType::i32}, {x});
  if (dtype != DType::f32) return;
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, n})
    if (k <= n) check_op(TopK{.k = k, .axis = c.axis}, {x});
}

const Case edges[] = {
    {{5, 300}, 1},   {{300, 5}, 0},  {{3, 41, 67}, -2}, {{7, 1, 3}, 1},
    {{1}, 0},        {{0, 3}, 1},    {{3, 0}, 1},       {{2, 2, 2, 3, 1, 2, 2, 5}, 3},
    {{70001, 2}, 1}, {{1024}, 0},    {{1025}, 0},       {{2048}, 0},
    {{2049}, 0},     {{2, 4097}, 1}, {{6145, 3}, 0},    {{3, 30011}, 1},
};

INSTANTIATE_TEST_SUITE_P(, SortCases, ::testing::Combine(::testing::Values(DType::f32), ::testing::ValuesIn(edges)));

// Short lines, lines across, and lines of several runs.
INSTANTIATE_TEST_SUITE_P(
    OtherTypes, SortCases,
    ::testing::Combine(::testing::Values(DType::f16, DType::bf16, DType::f64, DType::u8, DType::i8, DType::u16,
                                         DType::i16, DType::i32, DType::u32, DType::i64, DType::boolean),
                       ::testing::Values(Case{{5, 300}, 1}, Case{{67, 13}, 0}, Case{{2, 5003}, 1})));

// Few elements of a line are selected from runs that a subgroup holds, or a workgroup, or of which a line has several.
const std::int64_t run_lengths[] = {8, 127, 128, 129, 1025, 4096, 10007, 32768, 32769};

void check_both_ends(std::int64_t k, const Tensor& x) {
  for (const bool largest : {false, true}) check_op(TopK{.k = k, .largest = largest, .index_dtype = DType::i32}, {x});
}

TEST(TopKGpu, SelectsFromRunsOfEveryLength) {
  for (const std::int64_t length : run_lengths)
    for (const std::int64_t k :
         {std::int64_t{1}, std::int64_t{2}, std::int64_t{33}, std::min(length / 4, std::int64_t{1024})})
      if (k <= length) check_both_ends(k, random_tensor({DType::f32, {3, length}}, 7));
}

TEST(TopKGpu, SelectsElementsOfEveryWidth) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::i8, DType::u8, DType::i16, DType::u32})
    for (const std::int64_t length : {64, 1000, 5003, 40000})
      check_both_ends(9, random_tensor({dtype, {5, length}}, 11));
}

TEST(TopKGpu, ManyEqualElementsAreCutByTheirPlaces) {
  for (const std::int64_t length : run_lengths) {
    const std::int64_t k = std::min<std::int64_t>(length / 4, 100);
    check_both_ends(k, Tensor({DType::f32, {2, length}}));
    check_both_ends(k, ordered_values({DType::i8, {2, length}}));
    Tensor nan({DType::f32, {2, length}});
    std::ranges::fill(nan.as<float>(), std::numeric_limits<float>::quiet_NaN());
    check_both_ends(k, nan);
    nan.as<float>()[static_cast<std::size_t>(length) - 1] = 1;  // comes first of the smallest, last of the largest
    check_both_ends(k, nan);
  }
}

/// All that is wanted lies with few lanes, first or last.
TEST(TopKGpu, OrderedLines) {
  for (const std::int64_t length : {128, 4099, 32768}) {
    Tensor x({DType::f32, {2, length}});
    const auto values = x.as<float>();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) - 1000;
    check_both_ends(30, x);
  }
}

TEST(TopKGpu, InfinitiesAndZerosOfBothSigns) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::of<float>({12}, {-0.0f, 3, infinity, 0, nan, -infinity, -nan, infinity, -0.0f, 0, 7, -3});
  testing::check_gpu(TopK{.k = 3}, {x},
                     {Tensor::of<float>({3}, {nan, -nan, infinity}), Tensor::of<std::int64_t>({3}, {4, 6, 2})});
  testing::check_gpu(TopK{.k = 3, .largest = false}, {x},
                     {Tensor::of<float>({3}, {-infinity, -3, -0.0f}), Tensor::of<std::int64_t>({3}, {5, 11, 0})});
}

TEST(SortGpu, AMillionElements) {
  check_op(Sort{}, {random_tensor({DType::f32, {1 << 20}}, 3)});
  check_op(TopK{.k = 50}, {random_tensor({DType::f16, {1 << 20}}, 3)});
}

TEST(SortGpu, AMillionEqualElementsKeepTheirPlaces) { check_op(Sort{-1, true}, {Tensor({DType::i8, {1'000'003}})}); }

TEST(SortGpu, ManyShortLines) {
  check_op(Sort{}, {ordered_values({DType::f32, {200'003, 5}})});
  check_op(TopK{.k = 2}, {ordered_values({DType::f32, {200'003, 5}})});
  check_op(TopK{.k = 2}, {ordered_values({DType::f32, {100'003, 12}})});
}

}  // namespace
}  // namespace plumb::sort_test

#include "ir/ops/sort.hpp"

#include <gtest/gtest.h>

#include "ir/ops/top_k.hpp"
#include "tests/support/op_check.hpp"
#include "tests/support/ordered_values.hpp"

namespace plumb {
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
    ::testing::Combine(::testing::Values(DType::f16, DType::bf16, DType::f64, DType::u8, DType::i8, DType::i16,
                                         DType::i32, DType::u32, DType::i64, DType::boolean),
                       ::testing::Values(Case{{5, 300}, 1}, Case{{67, 13}, 0}, Case{{2, 5003}, 1})));

TEST(SortGpu, AMillionElements) {
  check_op(Sort{}, {random_tensor({DType::f32, {1 << 20}}, 3)});
  check_op(TopK{.k = 50}, {random_tensor({DType::f16, {1 << 20}}, 3)});
}

TEST(SortGpu, AMillionEqualElementsKeepTheirPlaces) { check_op(Sort{-1, true}, {Tensor({DType::i8, {1'000'003}})}); }

TEST(SortGpu, ManyShortLines) {
  check_op(Sort{}, {ordered_values({DType::f32, {200'003, 5}})});
  check_op(TopK{.k = 2}, {ordered_values({DType::f32, {200'003, 5}})});
}

}  // namespace
}  // namespace plumb

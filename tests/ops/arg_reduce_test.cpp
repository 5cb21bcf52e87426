#include "ir/ops/arg_reduce.hpp"

#include <gtest/gtest.h>

#include "ir/ops/hardmax.hpp"
#include "tests/support/op_check.hpp"
#include "tests/support/ordered_values.hpp"

namespace plumb::arg_reduce_test {
namespace {

using ir::DType;
using ir::ops::ArgReduce;
using ir::ops::Hardmax;
using testing::check_op;
using testing::ordered_values;
using F = ir::ops::ArgReduceFunction;

struct Case {
  ir::Shape shape;
  std::int64_t axis;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.shape << " along " << c.axis; }

class ArgReduceCases : public ::testing::TestWithParam<std::tuple<DType, Case>> {};

TEST_P(ArgReduceCases, FindTheirExtremes) {
  const auto& [dtype, c] = GetParam();
  const ir::Tensor x = ordered_values({dtype, c.shape});
  for (const F function : {F::max, F::min})
    for (const bool last : {false, true})
      check_op(ArgReduce{.function = function, .axis = c.axis, .keep_dims = last, .select_last = last}, {x});
  check_op(ArgReduce{.axis = c.axis, .index_dtype = DType::i32}, {x});
  check_op(Hardmax{c.axis}, {x});
}

const Case edges[] = {
    {{5, 300}, 1},
    {{300, 5}, 0},
    {{3, 41, 67}, -2},
    {{7, 1, 3}, 1},
    {{1}, 0},
    {{0, 3}, 1},
    {{2, 2, 2, 3, 1, 2, 2, 5}, 3},
    {{70001, 3}, 1},
    {{3, 70001}, 1},
    {{2, 100003, 3}, 1},
    {{300, 8}, 1},
    {{3, 4100}, 1},
    {{2, 70004}, 1},
};

INSTANTIATE_TEST_SUITE_P(, ArgReduceCases,
                         ::testing::Combine(::testing::Values(DType::f32), ::testing::ValuesIn(edges)));

// Rows, columns, and lines that are cut into slices.
INSTANTIATE_TEST_SUITE_P(
    OtherTypes, ArgReduceCases,
    ::testing::Combine(::testing::Values(DType::f16, DType::bf16, DType::f64, DType::u8, DType::i8, DType::u16,
                                         DType::i16, DType::i32, DType::u32, DType::i64),
                       ::testing::Values(Case{{5, 300}, 1}, Case{{67, 13}, 0}, Case{{2, 70001}, 1})));

TEST(ArgReduce, EqualElementsAreToldByTheirPlace) {
  for (const DType dtype : {DType::f32, DType::u8, DType::u32, DType::i64})
    for (const F function : {F::max, F::min})
      for (const bool last : {false, true})
        for (const std::int64_t n : {3, 8, 1021, 4096})  // zeros: for unsigned numbers the least there is
          check_op(ArgReduce{.function = function, .select_last = last}, {ir::Tensor({dtype, {2, n}})});
}

TEST(ArgReduce, NaNInOneSliceOfALongLineWins) {
  ir::Tensor x({DType::f32, {300'000}});
  for (const std::size_t at : {std::size_t{0}, std::size_t{150'001}, std::size_t{299'999}}) {
    x.as<float>()[at] = std::numeric_limits<float>::quiet_NaN();
    for (const F function : {F::max, F::min})
      for (const bool last : {false, true}) check_op(ArgReduce{.function = function, .select_last = last}, {x});
  }
}

}  // namespace
}  // namespace plumb::arg_reduce_test

#include <gtest/gtest.h>

#include "ir/ops/scatter_add.hpp"
#include "ir/ops/scatter_elements.hpp"
#include "ir/ops/scatter_nd.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/indexed_values.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"
#include "tests/support/ordered_values.hpp"

namespace plumb::scatter_test {
namespace {

using ir::DType;
using ir::Tensor;
using namespace ir::ops;
using testing::axis_indices;
using testing::check_op;
using testing::random_tensor;
using testing::tuple_indices;
using R = ir::kernels::ScatterReduction;

constexpr R reductions[] = {R::add, R::multiply, R::maximum, R::minimum};
constexpr DType all_dtypes[] = {DType::boolean, DType::u8,  DType::i8,  DType::u16, DType::i16,
                                DType::i32,     DType::u32, DType::i64, DType::f16, DType::bf16,
                                DType::f32,     DType::f64, DType::c64, DType::c128};

/// The CPU's kernels are checked against the definition in tests/ref_cpu.
void expect_same_bytes(const ir::Op& op, const std::vector<Tensor>& operands) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  ref_cpu::CpuExecutor cpu;
  const Tensor wanted = run_op(cpu, op, operands).front(), got = run_op(*testing::gpu().executor, op, operands).front();
  EXPECT_TRUE(tests::same_bytes(got, wanted))
      << op.name() << " into " << operands[0].type() << " at " << operands[1].type();
}

/// Updates for a reduction: factors near 1, extremes with NaN and ties.
Tensor updates_of(R reduction, const ir::TensorType& type) {
  if (reduction == R::maximum || reduction == R::minimum) return testing::ordered_values(type, 5);
  if (reduction == R::multiply && ir::is_float(type.dtype))
    return random_tensor(type, 5, {.distribution = ir::Distribution::uniform, .low = 0.99, .high = 1.01});
  return random_tensor(type, 5);
}

struct Case {
  ir::Shape x, indices;
  std::int64_t axis;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.x << " at " << c.indices << " along " << c.axis; }

const Case edges[] = {
    {{7}, {300}, 0},
    {{1}, {5000}, 0},  // one target takes all
    {{67, 31}, {67, 31}, 1},
    {{67, 31}, {60, 257}, 1},
    {{3, 5, 7, 11}, {2, 5, 4, 30}, -1},
    {{9, 4, 3}, {1001, 4, 3}, 0},
    {{2, 3, 2, 5, 2, 3, 2, 3}, {1, 3, 2, 9, 1, 3, 1, 2}, 3},
    {{5, 3}, {0, 3}, 1},
    {{0, 3}, {0, 2}, 1},
};

class ScatterElementsCases : public ::testing::TestWithParam<std::tuple<DType, Case>> {};

TEST_P(ScatterElementsCases, MeetTheTruth) {
  const auto& [dtype, c] = GetParam();
  const Tensor i = axis_indices({c.indices[0] % 2 == 0 ? DType::i32 : DType::i64, c.indices}, c.x[c.x.axis(c.axis)]);
  expect_same_bytes(ScatterElements{c.axis}, {tests::noise({dtype, c.x}), i, tests::noise({dtype, c.indices}, 2)});
  for (const R reduction : reductions)
    check_op(ScatterElements{c.axis, reduction},
             {updates_of(reduction, {dtype, c.x}), i, updates_of(reduction, {dtype, c.indices})});
}

INSTANTIATE_TEST_SUITE_P(, ScatterElementsCases,
                         ::testing::Combine(::testing::Values(DType::f32, DType::i32), ::testing::ValuesIn(edges)));
INSTANTIATE_TEST_SUITE_P(OtherTypes, ScatterElementsCases,
                         ::testing::Combine(::testing::Values(DType::f16, DType::bf16, DType::f64, DType::u8, DType::i8,
                                                              DType::u16, DType::i16, DType::u32, DType::i64),
                                            ::testing::Values(Case{{5, 13}, {4, 101}, 1}, Case{{3}, {3001}, 0})));

struct TupleCase {
  ir::Shape x, indices, updates;
};

void PrintTo(const TupleCase& c, std::ostream* out) { *out << c.x << " at " << c.indices; }

const TupleCase tuple_edges[] = {
    {{7}, {1}, {}},
    {{7}, {300, 1}, {300}},
    {{5, 24}, {101, 1}, {101, 24}},
    {{5, 3}, {70, 2}, {70}},
    {{4, 3, 5}, {2, 51, 2}, {2, 51, 5}},
    {{2, 3, 2, 3, 2, 3, 2, 3}, {101, 8}, {101}},
    {{2, 500}, {3001, 1}, {3001, 500}},
    {{5, 2}, {0, 2}, {0}},
};

class ScatterNdCases : public ::testing::TestWithParam<std::tuple<DType, TupleCase>> {};

TEST_P(ScatterNdCases, MeetTheTruth) {
  const auto& [dtype, c] = GetParam();
  const Tensor i = tuple_indices({DType::i64, c.indices}, c.x);
  expect_same_bytes(ScatterNd{}, {tests::noise({dtype, c.x}), i, tests::noise({dtype, c.updates}, 2)});
  for (const R reduction : reductions)
    check_op(ScatterNd{reduction}, {updates_of(reduction, {dtype, c.x}), i, updates_of(reduction, {dtype, c.updates})});
}

INSTANTIATE_TEST_SUITE_P(, ScatterNdCases,
                         ::testing::Combine(::testing::Values(DType::f32, DType::u8),
                                            ::testing::ValuesIn(tuple_edges)));

TEST(ScattersGpu, EveryDtypeIsPut) {
  for (const DType dtype : all_dtypes) {
    expect_same_bytes(ScatterElements{1}, {tests::noise({dtype, {5, 13}}), axis_indices({DType::i64, {4, 29}}, 13),
                                           tests::noise({dtype, {4, 29}}, 2)});
    expect_same_bytes(ScatterNd{}, {tests::noise({dtype, {5, 3}}), tuple_indices({DType::i32, {29, 1}}, {5}),
                                    tests::noise({dtype, {29, 3}}, 2)});
  }
}

TEST(ScatterAddGpu, MeetsTheTruth) {
  const auto check = [](DType dtype, const ir::Shape& updates, const ir::Shape& indices, ScatterAdd op) {
    check_op(op, {random_tensor({dtype, updates}, 5), axis_indices({DType::i32, indices}, op.size)});
  };
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i64, DType::u8})
    check(dtype, {3, 101, 5}, {101}, {1, 13});
  check(DType::f32, {70001, 3}, {70001}, {0, 101});
  check(DType::f32, {4, 30, 40}, {30, 40}, {-1, 1});
  check(DType::f32, {3, 2, 5}, {2, 5}, {1, 1000});
  check(DType::f32, {3, 7}, {}, {1, 5});
  check(DType::i32, {0, 7}, {0}, {0, 5});
  check(DType::f32, {3, 0}, {0}, {1, 5});
  check(DType::f32, {2, 5000, 3}, {5000}, {1, 1});
}

TEST(ScattersGpu, AMillionUpdatesOfOneTarget) {
  constexpr std::int64_t n = 1'000'003;
  const Tensor i({DType::i32, {n}}), u = random_tensor({DType::f32, {n}}, 5), x = random_tensor({DType::f32, {3}}, 6);
  check_op(ScatterElements{0, R::add}, {x, i, u});
  check_op(ScatterElements{0, R::maximum}, {x, i, u});
  expect_same_bytes(ScatterElements{}, {x, i, u});
}

TEST(ScattersGpu, AnIndexOutOfRangeNamesNodePositionAndValue) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const auto message = [](const ir::Op& op, const std::vector<Tensor>& operands) {
    return tests::message_of([&] { run_op(*testing::gpu().executor, op, operands); });
  };
  const Tensor x({DType::f32, {2, 3}}), u({DType::f32, {2, 1}}), i = Tensor::of<std::int64_t>({2, 1}, {-3, 3});
  for (const R reduction : {R::none, R::add}) {
    EXPECT_EQ(message(ScatterElements{1, reduction}, {x, i, u}),
              "node 'y' (scatter_elements): index 3 at position 1 is out of range");
    EXPECT_EQ(message(ScatterNd{reduction}, {x, Tensor::of<std::int32_t>({1, 2}, {1, -4}), Tensor({DType::f32, {1}})}),
              "node 'y' (scatter_nd): index -4 at position 1 is out of range");
  }
  EXPECT_EQ(message(ScatterAdd{0, 1}, {x, Tensor::of<std::int32_t>({2}, {0, 1})}),
            "node 'y' (scatter_add): index 1 at position 1 is out of range");
}

}  // namespace
}  // namespace plumb::scatter_test

#include <gtest/gtest.h>

#include "ir/ops/gather_elements.hpp"
#include "ir/ops/gather_nd.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/indexed_values.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::indexing_test {
namespace {

using ir::DType;
using ir::Tensor;
using namespace ir::ops;
using testing::axis_indices;
using testing::tuple_indices;

/// The CPU's kernels are checked against the definition in tests/ref_cpu.
void expect_same_bytes(const ir::Op& op, const std::vector<Tensor>& operands) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  ref_cpu::CpuExecutor cpu;
  const Tensor wanted = run_op(cpu, op, operands).front(), got = run_op(*testing::gpu().executor, op, operands).front();
  EXPECT_TRUE(tests::same_bytes(got, wanted)) << op.name() << " of " << operands[0].type() << ' ' << operands[1].type();
}

constexpr DType all_dtypes[] = {DType::boolean, DType::u8,  DType::i8,  DType::u16, DType::i16,
                                DType::i32,     DType::u32, DType::i64, DType::f16, DType::bf16,
                                DType::f32,     DType::f64, DType::c64, DType::c128};

TEST(GatherElementsGpu, EveryDtype) {
  for (const DType dtype : all_dtypes)
    expect_same_bytes(GatherElements{1},
                      {tests::noise({dtype, {5, 13, 3}}), axis_indices({DType::i64, {5, 29, 2}}, 13)});
}

TEST(GatherElementsGpu, ShapesAndAxes) {
  const auto check = [](std::int64_t axis, const ir::Shape& x, const ir::Shape& indices) {
    const std::int64_t extent = x[x.axis(axis)];
    for (const DType dtype : {DType::i32, DType::i64})
      expect_same_bytes(GatherElements{axis}, {tests::noise({DType::f32, x}), axis_indices({dtype, indices}, extent)});
  };
  check(0, {1}, {7});
  check(0, {67, 31}, {67, 31});
  check(1, {67, 31}, {67, 257});
  check(-1, {3, 5, 7, 11}, {2, 5, 4, 30});
  check(3, {2, 3, 2, 5, 2, 3, 2, 3}, {1, 3, 2, 9, 1, 3, 1, 2});
  check(0, {9, 4, 3}, {1001, 4, 3});
  check(1, {70001, 3}, {70000, 2});
  check(1, {5, 3}, {0, 3});
  check(1, {0, 3}, {0, 2});
}

TEST(GatherNdGpu, EveryDtype) {
  for (const DType dtype : all_dtypes) {
    expect_same_bytes(GatherNd{}, {tests::noise({dtype, {5, 13, 3}}), tuple_indices({DType::i32, {29, 2}}, {5, 13})});
    expect_same_bytes(GatherNd{}, {tests::noise({dtype, {5, 13}}), tuple_indices({DType::i64, {29, 2}}, {5, 13})});
  }
}

TEST(GatherNdGpu, ShapesAndBatches) {
  const auto check = [](std::int64_t batch_dims, const ir::Shape& x, const ir::Shape& indices) {
    for (const DType dtype : {DType::i32, DType::i64})
      expect_same_bytes(
          GatherNd{batch_dims},
          {tests::noise({DType::f16, x}), tuple_indices({dtype, indices}, x, static_cast<std::size_t>(batch_dims))});
  };
  check(0, {7}, {1});
  check(0, {7, 3}, {2, 5, 1});
  check(1, {7, 3}, {7, 1});
  check(1, {7, 3, 4}, {7, 5, 1});
  check(2, {3, 2, 5, 7, 8}, {3, 2, 11, 2});
  check(0, {2, 3, 2, 3, 2, 3, 2, 3}, {101, 8});
  check(0, {1001, 24}, {70001, 1});
  check(0, {5, 0}, {3, 1});
  check(0, {5, 2}, {0, 2});
}

TEST(GathersGpu, AnIndexOutOfRangeNamesNodePositionAndValue) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const auto message = [](const ir::Op& op, const ir::Shape& x, const Tensor& indices) {
    return tests::message_of([&] { run_op(*testing::gpu().executor, op, {Tensor({DType::f32, x}), indices}); });
  };
  EXPECT_EQ(message(GatherElements{1}, {2, 3}, Tensor::of<std::int64_t>({2, 1}, {-3, 3})),
            "node 'y' (gather_elements): index 3 at position 1 is out of range");
  EXPECT_EQ(message(GatherElements{}, {0}, Tensor::of<std::int32_t>({1}, {-1})),
            "node 'y' (gather_elements): index -1 at position 0 is out of range");
  EXPECT_EQ(message(GatherNd{}, {2, 3}, Tensor::of<std::int32_t>({2, 2}, {1, 2, -3, 2})),
            "node 'y' (gather_nd): index -3 at position 2 is out of range");
  EXPECT_EQ(message(GatherNd{}, {2, 3}, Tensor::of<std::int64_t>({1, 2}, {1, std::int64_t{1} << 32})),
            "node 'y' (gather_nd): index 4294967296 at position 1 is out of range");
}

}  // namespace
}  // namespace plumb::indexing_test

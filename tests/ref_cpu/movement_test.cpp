#include "tests/support/cases/movement.hpp"

#include <gtest/gtest.h>

#include "ir/ops/gather.hpp"
#include "ir/ops/transpose.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ref_cpu::movement_test {
namespace {

using ir::DType;
using ir::Tensor;

class Movement : public ::testing::TestWithParam<tests::MovementCase> {};

TEST_P(Movement, MovesEveryByteAsDefined) {
  const auto operands = tests::operands_of(GetParam());
  CpuExecutor cpu;
  const auto got = ir::run_op(cpu, GetParam().op, operands);
  const auto wanted = tests::moved(GetParam().op, operands);
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(tests::same_bytes(got[i], wanted[i])) << "output " << i;
}

INSTANTIATE_TEST_SUITE_P(, Movement, ::testing::ValuesIn(tests::movement_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST(StridedCopy, LargeCopiesAreCutIntoChunksAndStayWhole) {
  CpuExecutor cpu;
  for (const ir::Shape& shape : {ir::Shape{3, 70001, 2}, ir::Shape{211, 2, 409}, ir::Shape{700, 701}}) {
    std::vector<std::int64_t> reversed;
    for (std::int64_t k = shape.rank(); k-- > 0;) reversed.push_back(k);
    const ir::Op op = ir::ops::Transpose{reversed};
    const std::vector<Tensor> x = {tests::noise({DType::f32, shape})};
    EXPECT_TRUE(tests::same_bytes(ir::run_op(cpu, op, x)[0], tests::moved(op, x)[0])) << shape;
  }
}

TEST(Gather, AnIndexOutOfRangeNamesNodePositionValueAndExtent) {
  CpuExecutor cpu;
  const auto gather = [&](Tensor indices) {
    return tests::message_of([&] {
      ir::run_op(cpu, ir::ops::Gather{}, {Tensor({DType::f32, {5, 2}}), std::move(indices)});
    });
  };
  EXPECT_EQ(gather(Tensor::of<std::int32_t>({2, 2}, {4, -5, 5, 9})),
            "node 'y' (gather): indices[2] is 5, outside [-5, 5)");
  EXPECT_EQ(gather(Tensor::of<std::int32_t>({1}, {-6})), "node 'y' (gather): indices[0] is -6, outside [-5, 5)");
  EXPECT_EQ(gather(Tensor::of<std::int64_t>({1}, {(std::int64_t{1} << 32) + 1})),
            "node 'y' (gather): indices[0] is 4294967297, outside [-5, 5)");
}

}  // namespace
}  // namespace plumb::ref_cpu::movement_test

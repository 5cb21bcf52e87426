#include "tests/support/cases/moves.hpp"

#include <gtest/gtest.h>

#include "ir/kernels/index_map.hpp"
#include "ir/ops/pad.hpp"
#include "tests/ref_cpu/run_one.hpp"

namespace plumb::ref_cpu::moves_test {
namespace {

class Moves : public ::testing::TestWithParam<tests::MovementCase> {};

TEST_P(Moves, MakeEveryByteAsDefined) {
  const auto operands = tests::operands_of(GetParam());
  EXPECT_TRUE(tests::same_bytes(run_one(GetParam().op, operands), tests::made(GetParam().op, operands)));
}

INSTANTIATE_TEST_SUITE_P(, Moves, ::testing::ValuesIn(tests::move_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST(Pad, ModesOfFourNumbers) {
  const auto x = ir::Tensor::of<float>({4}, {1, 2, 3, 4});
  const auto padded = [&](ir::ops::PadMode mode) {
    const auto y = run_one(ir::ops::Pad{{5, 4}, mode}, {x});
    return std::vector<float>(y.as<float>().begin(), y.as<float>().end());
  };
  EXPECT_EQ(padded(ir::ops::PadMode::constant), (std::vector<float>{0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0}));
  EXPECT_EQ(padded(ir::ops::PadMode::reflect), (std::vector<float>{2, 3, 4, 3, 2, 1, 2, 3, 4, 3, 2, 1, 2}));
  EXPECT_EQ(padded(ir::ops::PadMode::edge), (std::vector<float>{1, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4}));
  EXPECT_EQ(padded(ir::ops::PadMode::wrap), (std::vector<float>{4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}));
}

TEST(IndexMap, WholeAxesMergeIntoPaddedOnesAndElementsWiden) {
  // f32[2, 3, 8] of which only the first axis is padded: blocks of 24 floats, 6 words of 16 bytes.
  const ir::kernels::IndexMap map{
      .width = 4, .beyond = ir::kernels::Beyond::fill, .axes = {{5, 2, -1, 24}, {3, 3, 0, 8}, {8, 8, 0, 1}}};
  const ir::kernels::IndexMap simple{.width = 16, .beyond = ir::kernels::Beyond::fill, .axes = {{30, 12, -6, 1}}};
  EXPECT_EQ(map.simplified(), simple);
}

TEST(IndexMap, MirroredAxesStayAsTheyAre) {
  const ir::kernels::IndexMap map{
      .width = 4, .beyond = ir::kernels::Beyond::reflect, .axes = {{5, 2, -1, 24}, {3, 3, 0, 8}, {8, 8, 0, 1}}};
  const ir::kernels::IndexMap simple{
      .width = 16, .beyond = ir::kernels::Beyond::reflect, .axes = {{5, 2, -1, 6}, {6, 6, 0, 1}}};
  EXPECT_EQ(map.simplified(), simple);
}

}  // namespace
}  // namespace plumb::ref_cpu::moves_test

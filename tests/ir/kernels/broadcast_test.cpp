#include "ir/kernels/broadcast.hpp"

#include <gtest/gtest.h>

namespace plumb::ir::broadcast_test {
namespace {

using Axes = std::vector<kernels::BroadcastAxis>;

TEST(BroadcastLoops, SameShapesAreOneRow) {
  const auto loops = kernels::broadcast_loops({2, 3, 5}, {{2, 3, 5}, {2, 3, 5}});
  EXPECT_EQ(loops.axes, (Axes{{30, {1, 1}}}));
  EXPECT_TRUE(loops.is_dense(0) && loops.is_dense(1));
}

TEST(BroadcastLoops, AScalarIsStretchedAlongOneRow) {
  const auto loops = kernels::broadcast_loops({2, 3, 5}, {{2, 3, 5}, {}});
  EXPECT_EQ(loops.axes, (Axes{{30, {1, 0}}}));
  EXPECT_TRUE(loops.is_dense(0));
  EXPECT_FALSE(loops.is_dense(1));
}

TEST(BroadcastLoops, ABiasRepeatsAlongTheOuterAxes) {
  EXPECT_EQ(kernels::broadcast_loops({4, 7, 5}, {{4, 7, 5}, {5}}).axes, (Axes{{28, {5, 0}}, {5, {1, 1}}}));
}

TEST(BroadcastLoops, AMiddleAxisStaysApart) {  // [1, C, 1, D] + [1, C, P, D]
  EXPECT_EQ(kernels::broadcast_loops({1, 19, 10, 200}, {{1, 19, 1, 200}, {1, 19, 10, 200}}).axes,
            (Axes{{19, {200, 2000}}, {10, {0, 200}}, {200, {1, 1}}}));
}

TEST(BroadcastLoops, BothSidesStretch) {
  EXPECT_EQ(kernels::broadcast_loops({3, 7}, {{3, 1}, {7}}).axes, (Axes{{3, {1, 0}}, {7, {0, 1}}}));
}

TEST(BroadcastLoops, UnitAxesVanish) {
  EXPECT_EQ(kernels::broadcast_loops({1, 3, 1, 2, 1}, {{3, 1, 2, 1}, {1, 1, 1, 2, 1}}).axes,
            (Axes{{3, {2, 0}}, {2, {1, 1}}}));
}

TEST(BroadcastLoops, RankZeroIsARowOfOne) {
  const auto loops = kernels::broadcast_loops({}, {{}, {}});
  EXPECT_EQ(loops.axes, (Axes{{1, {0, 0}}}));
  EXPECT_TRUE(loops.is_dense(0));
}

TEST(BroadcastLoops, EmptyResultsKeepTheirEmptyAxis) {
  EXPECT_EQ(kernels::broadcast_loops({2, 0}, {{2, 0}, {1, 1}}).axes, (Axes{{0, {1, 0}}}));
}

}  // namespace
}  // namespace plumb::ir::broadcast_test

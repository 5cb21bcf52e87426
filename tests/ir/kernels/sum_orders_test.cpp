#include "ir/kernels/sum_orders.hpp"

#include <gtest/gtest.h>

namespace plumb::ir::sum_orders_test {
namespace {

TEST(SumOrders, SayHowManyChannelsABlockHas) {
  EXPECT_EQ(kernels::taps_first(32), "taps_first:32");
  EXPECT_EQ(kernels::channels_of_taps_first(kernels::taps_first(32)), 32);
  for (const char* other : {"contract", "taps_first", "taps_first:", "taps_first:0", "taps_first:-8", "taps_first:8x"})
    EXPECT_EQ(kernels::channels_of_taps_first(other), std::nullopt) << other;
}

TEST(SumOrders, SayHowManyNeighboursARunHas) {
  EXPECT_EQ(kernels::runs_of(16, 4), "runs_of:16x4");
  const auto runs = kernels::runs_of_order("runs_of:16x4");
  ASSERT_TRUE(runs.has_value());
  EXPECT_EQ(runs->neighbours, 16);
  EXPECT_EQ(runs->runs, 4);
  for (const char* other : {"contract", "runs_of:", "runs_of:16", "runs_of:16x0", "runs_of:16x4x", "runs_of:12x2"})
    EXPECT_FALSE(kernels::runs_of_order(other).has_value()) << other;
}

}  // namespace
}  // namespace plumb::ir::sum_orders_test

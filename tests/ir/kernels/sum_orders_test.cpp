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

}  // namespace
}  // namespace plumb::ir::sum_orders_test

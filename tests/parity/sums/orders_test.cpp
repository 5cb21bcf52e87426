// Terms that lanes take by the piece are not in the order of the contract, and neither are their partial sums.
#include "parity/sums/orders.hpp"

#include <gtest/gtest.h>

#include "parity/sums/element_limit.hpp"

namespace plumb::parity::sums::orders_test {
namespace {

/// 8 lanes, each a chain, joined in pairs.
ir::Sum lanes_in(const std::string& order) {
  return {.levels = {{}, {.count = 8, .take = ir::SumTake::every, .join = ir::SumJoin::pair}}, .order = order};
}

/// 512 terms whose signs change every `run` of them.
element::terms::ElementSum wave(std::int64_t run) {
  element::terms::ElementSum sum;
  for (std::int64_t k = 0; k < 512; ++k) sum.add(k / run % 2 == 0 ? 1.0 / 3 : -1.0 / 3);
  return sum;
}

double deviation(const std::string& order, std::int64_t run) {
  return deviation_of(wave(run), {.sum = lanes_in(order)});
}

TEST(SumOrders, AWaveOfPiecesGrowsInTheLanesThatTakePieces) {
  // In the order of the contract the terms of a lane cancel; of pieces of 8 a lane's terms have all the same sign.
  EXPECT_GT(deviation("pieces", 8), 10 * deviation("contract", 8));
  EXPECT_GT(deviation("shuffled_pieces", 8), 10 * deviation("contract", 8));
}

TEST(SumOrders, LanesThatAreShuffledMayMeetInAnotherOrder) {
  ir::Sum both = lanes_in("contract");
  both.levels.push_back({.count = 4, .take = ir::SumTake::every});
  ir::Sum shuffled = both;
  shuffled.order = "shuffled";
  for (const std::int64_t run : {1, 2, 4, 8, 16})
    EXPECT_GE(deviation_of(wave(run), {.sum = shuffled}), deviation_of(wave(run), {.sum = both})) << run;
  EXPECT_GT(deviation_of(wave(8), {.sum = shuffled}), deviation_of(wave(8), {.sum = both}));
}

TEST(SumOrders, LanesOfOneLevelThatAreShuffledMeetTheirNeighboursFirst) {
  // Lanes of one sign are half of all: those that are half apart cancel at once, and neighbours only in the end.
  element::terms::ElementSum halves;
  for (const double term : {0.31, 0.32, 0.33, 0.34, -0.31, -0.32, -0.33, -0.34}) halves.add(static_cast<float>(term));
  const auto of = [&](const std::string& order) {
    return deviation_of(halves, {.exact_products = true, .sum = lanes_in(order)});
  };
  EXPECT_EQ(of("contract"), 0);
  EXPECT_GT(of("shuffled"), 0x1p-24);
}

/// 4 lanes take 4 runs of 16, 32 apart: a lane's terms have one sign where the signs of neighbouring 16 differ, and
/// cancel where those of 32 do.
TEST(SumOrders, RunsAreWhereTheRecordSays) {
  ir::Sum runs = lanes_in("runs_of:16x4");
  runs.levels.back().count = 4;
  const auto of = [&](std::int64_t run) { return deviation_of(wave(run), {.sum = runs}); };
  EXPECT_GT(of(16), 3 * of(32));
  runs.order = "runs_of:32x1";
  EXPECT_GT(of(32), 3 * of(16));
  EXPECT_TRUE(is_rearranged(runs));
  EXPECT_TRUE(is_known_order(runs));
  EXPECT_FALSE(is_known_order(lanes_in("shuffled_pieces")));
}

TEST(SumOrders, TheContractsOrderIsHeldToItAlone) {
  EXPECT_FALSE(is_rearranged(lanes_in("contract")));
  EXPECT_FALSE(is_rearranged(lanes_in("taps_first")));
}

}  // namespace
}  // namespace plumb::parity::sums::orders_test

#include "gpu_vulkan/plan/tile_choice.hpp"

#include <gtest/gtest.h>

// Which tile a product gets: no GPU is needed.
namespace plumb::gpu_vulkan::tile_choice_test {
namespace {

const std::vector<plan::TileOption> tiles = {
    {"128x128x16", 16384, 6}, {"64x64x16", 4096, 24}, {"32x32x32", 1024, 96}, {"32x32x16", 1024, 96}};

/// A calibration for which two sizes of one kernel were measured.
plan::PlanOptions measured() {
  plan::PlanOptions options;
  options.calibration.products = {
      {"wide", {512, 768, 768}, {{"64x64x16", 20.25}, {"128x128x16", 31}}},
      {"wide", {4096, 4096, 4096}, {{"gone", 1}, {"128x128x16", 2000}, {"64x64x16", 3000}}},
  };
  return options;
}

TEST(TileChoice, ByTheModelTakesTheLargestThatLeavesEnoughWorkgroups) {
  std::vector<plan::TileOption> many = tiles;
  for (plan::TileOption& tile : many) tile.groups *= 6;
  EXPECT_EQ(plan::choose_tile({}, "wide", {}, many).index, 1u);
  EXPECT_EQ(plan::choose_tile({}, "wide", {}, many).why,
            "64x64x16: the first of at least 128 workgroups, 144 workgroups");
  many[1].fits = false;
  EXPECT_EQ(plan::choose_tile({}, "wide", {}, many).index, 2u);
}

TEST(TileChoice, ByTheModelTakesATileThatNearlyFillsOneWaveAndNoneThatNeedsASecond) {
  const auto of_groups = [](std::int64_t groups) {
    const std::vector<plan::TileOption> two = {
        {.name = "128x192x64", .elements = 24576, .groups = groups, .min_workgroups = 300, .wave = 132},
        {.name = "64x64x64", .elements = 4096, .groups = 6 * groups, .min_workgroups = 0}};
    return plan::choose_tile({}, "wide", {}, two);
  };
  EXPECT_EQ(of_groups(92).index, 1u);
  EXPECT_EQ(of_groups(93).why, "128x192x64: 93 workgroups of 132 that run at one time");
  EXPECT_EQ(of_groups(132).index, 0u);
  EXPECT_EQ(of_groups(133).index, 1u);
  EXPECT_EQ(of_groups(300).why, "128x192x64: the first of at least 300 workgroups, 300 workgroups");
}

TEST(TileChoice, ByTheModelTakesTheFirstOfTheSmallestWhereWorkgroupsAreFew) {
  EXPECT_EQ(plan::choose_tile({}, "wide", {}, tiles).index, 2u);
  EXPECT_EQ(plan::choose_tile({}, "wide", {}, tiles).why, "32x32x32: the smallest, 96 workgroups");
  std::vector<plan::TileOption> unfit = tiles;
  unfit[2].fits = unfit[3].fits = false;
  EXPECT_EQ(plan::choose_tile({}, "wide", {}, unfit).index, 1u);
}

TEST(TileChoice, TakesTheFastestOfTheNearestSizeThatWasMeasured) {
  const plan::PlanOptions options = measured();
  const plan::TileChoice small = plan::choose_tile(options, "wide", {512, 2304, 768}, tiles);
  EXPECT_EQ(small.index, 1u);
  EXPECT_EQ(small.why, "64x64x16: measured for 512x768x768 20.3 us, 128x128x16 31.0 us");
  const plan::TileChoice large = plan::choose_tile(options, "wide", {4000, 5000, 4100}, tiles);
  EXPECT_EQ(large.index, 0u);  // its fastest is none of these
  EXPECT_EQ(large.why, "128x128x16: measured for 4096x4096x4096 2000.0 us, 64x64x16 3000.0 us");
}

TEST(TileChoice, LeavesWhatNobodyMeasuredToTheModel) {
  const plan::PlanOptions options = measured();
  EXPECT_EQ(plan::choose_tile(options, "wide", {32, 32, 32}, tiles).why, "32x32x32: the smallest, 96 workgroups");
  EXPECT_EQ(plan::choose_tile(options, "other", {512, 768, 768}, tiles).index, 2u);
  const std::vector<plan::TileOption> unknown = {{"8x8x8", 64, 1}};
  EXPECT_EQ(plan::choose_tile(options, "wide", {512, 768, 768}, unknown).why, "8x8x8: the smallest, 1 workgroup");
}

TEST(TileChoice, PrefersWhatWasAskedForWhereItFits) {
  plan::PlanOptions options = measured();
  options.tile = "32x32x16";
  EXPECT_EQ(plan::choose_tile(options, "wide", {512, 768, 768}, tiles).why, "32x32x16: asked for");
  std::vector<plan::TileOption> unfit = tiles;
  unfit[3].fits = false;
  EXPECT_EQ(plan::choose_tile(options, "wide", {512, 768, 768}, unfit).index, 2u);  // by the model
}

TEST(TileChoice, TheNearestSizeIsTheOneWhoseLogarithmsDifferLeast) {
  const device::Calibration calibration = measured().calibration;
  EXPECT_EQ(calibration.nearest("wide", {512, 768, 768})->size.m, 512);
  EXPECT_EQ(calibration.nearest("wide", {8192, 8192, 8192})->size.m, 4096);
  EXPECT_EQ(calibration.nearest("wide", {16384, 8192, 8192})->size.m, 4096);  // a factor of 16 in all
  EXPECT_EQ(calibration.nearest("wide", {16400, 8192, 8192}), nullptr);
  EXPECT_EQ(calibration.nearest("wide", {512, 768, 768, 17}), nullptr);
  EXPECT_EQ(device::Calibration{}.nearest("wide", {512, 768, 768}), nullptr);
}

TEST(TileChoice, OthersComeInTheirOrderAndThoseThatFitAlone) {
  std::vector<plan::TileOption> some = tiles;
  some[2].fits = false;
  EXPECT_EQ(plan::other_tile(some, 1, 1).index, 0u);
  EXPECT_EQ(plan::other_tile(some, 1, 2).index, 3u);
  EXPECT_THROW(plan::other_tile(some, 1, 3), ir::Error);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::tile_choice_test

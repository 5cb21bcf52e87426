// Nearest neighbours are choices: one of the taps that a position within its limit has, and nothing between them.
#include "ir/ops/grid_sample.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ir/passes/widen.hpp"
#include "parity/judges/node_judge.hpp"
#include "tests/parity/judges/stand_ins.hpp"

namespace plumb::parity::judges::grid_sample_test {
namespace {

using namespace plumb::testing;

/// Points of a line of 8 numbers, which the whole grid [-1, 1] is.
struct Points {
  ir::ops::GridSample op{.mode = ir::ops::SampleMode::nearest};
  std::vector<double> numbers = hard_numbers("normal", 8, 40), grid;

  /// The grid's number for a position on the line.
  static double at(double position) { return (2 * position + 1) / 8 - 1; }

  cases::NodeResult say(const std::vector<double>& y) const {
    ref_cpu::CpuExecutor cpu({.threads = 1});
    const auto count = static_cast<std::int64_t>(grid.size());
    const std::vector<ir::Tensor> inputs = {floats({1, 1, 8}, numbers), floats({1, count, 1}, grid)};
    const core::Segment segment =
        core::segment_of(ir::graph_of(op, ir::TensorTypes{inputs[0].type(), inputs[1].type()}), 0);
    ir::Feeds fed;
    for (std::size_t i = 0; i < 2; ++i) fed.emplace(segment.graph.inputs()[i], ir::passes::widen(inputs[i]));
    const bounds::Manner manner;
    bounds::Bounded bounded = evaluate(cpu, segment, fed, manner, nullptr);
    const std::vector<ir::TensorView> views(inputs.begin(), inputs.end());
    const settle::Subject subject{cpu, segment, views, {}, manner};
    const ir::Tensor got = floats({1, 1, count}, y);
    NodeJudge judge(subject, bounded, {&got});
    cases::NodeResult result;
    result.label = "y";
    judge.compare(0, got, result);
    result.telling = judge.telling(0, result);
    return result;
  }
};

TEST(Judge, NearestNeighboursAreTapsAndNothingBetween) {
  Points points;
  std::vector<double> y;
  for (int j = 0; j < 8; ++j)
    for (const double away : {-0.4, 0.0, 0.3}) {
      points.grid.push_back(Points::at(j + away));
      y.push_back(points.numbers[static_cast<std::size_t>(j)]);
    }
  const auto clean = points.say(y);
  EXPECT_TRUE(clean.local.agrees()) << clean.summary();
  EXPECT_EQ(clean.units.kind, cases::UnitKind::choice);
  EXPECT_EQ(clean.units.decisions.free, 0u);
  EXPECT_EQ(clean.telling.informative, y.size());
  auto other = y, between = y;
  other[7] = y[10];
  between[7] = y[7] * (1 + 0x1p-23);
  EXPECT_EQ(points.say(other).local.n_bad, 1u);
  EXPECT_EQ(points.say(between).local.n_bad, 1u);
}

TEST(Judge, AWrongSampleInfinitelyFarAwayFails) {
  Points points;
  points.grid = {Points::at(3.25), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const double between = 0.75 * points.numbers[3] + 0.25 * points.numbers[4];
  for (const auto padding : {ir::ops::SamplePadding::zeros, ir::ops::SamplePadding::border}) {
    points.op = {.mode = ir::ops::SampleMode::linear, .padding = padding};
    const bool is_border = padding == ir::ops::SamplePadding::border;
    const double first = is_border ? points.numbers[0] : 0, last = is_border ? points.numbers[7] : 0;
    const auto clean = points.say({between, last, first});
    EXPECT_TRUE(clean.local.agrees()) << clean.summary();
    const auto wrong = points.say({between, last, first + 0.5});
    EXPECT_EQ(wrong.local.n_bad, 1u);
    EXPECT_EQ(wrong.local.n_without_limit, 0u);
  }
}

TEST(Conditioning, AtATieEitherNeighbourIsRight) {
  Points points;
  points.grid = {Points::at(2.5), Points::at(4)};
  const double left = points.numbers[2], right = points.numbers[3], sure = points.numbers[4];
  for (const double one : {left, right}) {
    const auto found = points.say({one, sure});
    EXPECT_TRUE(found.local.agrees()) << found.summary();
    EXPECT_EQ(found.telling.informative, 1u);
  }
  EXPECT_EQ(points.say({(left + right) / 2, sure}).local.n_bad, 1u);
  EXPECT_EQ(points.say({sure, sure}).local.n_bad, 1u);
}

}  // namespace
}  // namespace plumb::parity::judges::grid_sample_test

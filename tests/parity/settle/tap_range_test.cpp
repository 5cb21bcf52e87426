// Taps without weight are absent: what a kernel makes of 0 times an infinity is not judged, and no more is excused.
#include "parity/settle/ranges/tap_range.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/passes/widen.hpp"
#include "parity/settle/range.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::parity::settle::tap_range_test {
namespace {

using ir::Tensor;

constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

struct Judged {
  std::uint64_t apart = 0, bad = 0;
  std::vector<double> truth;
};

Judged judge(const ir::Op& op, const std::vector<Tensor>& in, const std::vector<float>& got) {
  ir::TensorTypes types;
  for (const Tensor& one : in) types.push_back(one.type());
  const core::Segment segment = core::segment_of(ir::graph_of(op, types), 0);
  ref_cpu::CpuExecutor cpu;
  const bounds::Manner manner;
  const bounds::Bounded bounded = bounds::evaluate_bounded(
      cpu, segment, [&](ir::Value v) { return ir::passes::widen(in.at(v)); }, manner);
  const Tensor y = Tensor::of<float>(segment.graph.type(segment.outputs[0]).shape, got);
  const std::vector<ir::TensorView> inputs(in.begin(), in.end());
  std::optional<Tensor> native;
  const Tensor& truth = bounded.truth.outputs[0];
  const OutOfRange found =
      set_out_of_range_apart({cpu, segment, inputs, {}, manner}, 0, truth, bounded.allowed[0], y, native);
  Judged judged;
  judged.apart = found.count;
  judged.bad = compare::compare(truth, y, found.allowed).n_bad;
  judged.truth = {truth.as<double>().begin(), truth.as<double>().end()};
  return judged;
}

/// Five pixels with a NaN in the middle, seen at the second and fourth, where nothing else has a weight, and at the
/// last, which is two away.
Judged sampled(const std::vector<float>& got) {
  const std::vector<Tensor> in = {Tensor::of<float>({1, 1, 5}, {1, 2, nan, 4, 5}),
                                  Tensor::of<float>({1, 3, 1}, {-0.5f, 0.5f, 1.0f})};
  return judge(ir::ops::GridSample{.align_corners = true}, in, got);
}

TEST(TapRange, APointAtAPixelMayLetItsNeighbourIn) {
  EXPECT_EQ(sampled({2, 4, 5}).truth, (std::vector<double>{2, 4, 5}));
  EXPECT_EQ(sampled({2, 4, 5}).apart, 0u);
  EXPECT_EQ(sampled({nan, nan, 5}).apart, 2u);
  EXPECT_EQ(sampled({nan, nan, 5}).bad, 0u);
  EXPECT_EQ(sampled({2, 4, nan}).bad, 1u) << "no tap of the last point is a NaN";
  EXPECT_EQ(sampled({2.5f, 4, 5}).bad, 1u) << "no NaN makes a number";
}

/// A point beside the pixel that f32 cannot tell from it: the truth has a NaN, and the pixel itself is right as well.
TEST(TapRange, APointBesideAPixelMayMissItsNeighbour) {
  const auto at = [](float g, float got) {
    const std::vector<Tensor> in = {Tensor::of<float>({1, 1, 5}, {1, 2, nan, 4, 5}), Tensor::of<float>({1, 1, 1}, {g})};
    return judge(ir::ops::GridSample{.align_corners = true}, in, {got});
  };
  const float beside = std::nextafter(-0.5f, 0.0f);
  EXPECT_TRUE(std::isnan(at(beside, 2).truth[0]));
  EXPECT_EQ(at(beside, 2).bad, 0u);
  EXPECT_EQ(at(beside, 2.01f).bad, 1u);
  EXPECT_EQ(at(-0.4f, 2).bad, 1u) << "there the NaN has a weight for sure";
}

TEST(TapRange, ATapOfAResizeWithoutWeightMayBeMultiplied) {
  const ir::Op op = ir::ops::Resize{.axes = {0}, .sizes = {5}, .mode = ir::ops::ResizeMode::cubic};
  const std::vector<Tensor> in = {Tensor::of<float>({5}, {infinity, 2, 3, 4, 5})};
  EXPECT_EQ(judge(op, in, {infinity, 2, 3, 4, 5}).bad, 0u);
  EXPECT_EQ(judge(op, in, {nan, nan, 3, 4, 5}).bad, 0u);
  EXPECT_EQ(judge(op, in, {infinity, nan, 3, 4, nan}).bad, 1u) << "the last has no tap on the infinity";
}

/// Rows of one sign each, which the sum across them takes to 0.7 of their size; along them it may come to 1.3 of it.
TEST(TapRange, AnAxisMayOverflowThatTheNextOneBringsBack) {
  const ir::Op op = ir::ops::Resize{.axes = {0, 1}, .sizes = {8, 8}, .mode = ir::ops::ResizeMode::cubic};
  const auto bad = [&](float size, float got) {
    std::vector<float> x;
    for (int i = 0; i < 16; ++i) x.push_back(i / 4 % 2 == 0 ? size : -size);
    const std::vector<Tensor> in = {Tensor::of<float>({4, 4}, x)};
    const Judged one = judge(op, in, std::vector<float>(64, 0));
    std::vector<float> all(one.truth.begin(), one.truth.end());
    all[27] = got;
    return judge(op, in, all).bad;
  };
  EXPECT_EQ(bad(3.3e38f, infinity), 0u);
  EXPECT_EQ(bad(3.3e38f, 1e37f), 1u);
  EXPECT_EQ(bad(1e38f, infinity), 1u) << "nothing overflows";
}

}  // namespace
}  // namespace plumb::parity::settle::tap_range_test

#include <gtest/gtest.h>

#include <limits>

#include "ir/ops/depth_to_space.hpp"
#include "ir/ops/pad.hpp"
#include "ir/ops/reverse.hpp"
#include "ir/ops/roll.hpp"
#include "ir/ops/space_to_depth.hpp"
#include "ir/ops/tile.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::moves_test {
namespace {

using namespace ops;

constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();

std::string refusal(const Op& op, const TensorTypes& in) {
  return tests::message_of([&] { infer(op, in); });
}
bool refused_by(std::string_view number, const Op& op, const TensorTypes& in) {
  return refusal(op, in).find(number) != std::string::npos;
}
TensorTypes f32(const Shape& shape) { return {{DType::f32, shape}}; }

TEST(PadTypes, ExtentsGrowAndShrink) {
  EXPECT_EQ(infer(Pad{{1, -2, 0, 3}}, f32({2, 3})), f32({3, 4}));
  EXPECT_EQ(infer(Pad{{-2, 5}, PadMode::constant}, f32({2})), f32({5}));
  EXPECT_EQ(infer(Pad{{0, 0}, PadMode::wrap}, f32({0})), f32({0}));
}

TEST(PadTypes, Refuses) {
  EXPECT_EQ(refusal(Pad{{1, 1}}, f32({2, 3})),
            "pads must hold a begin for every axis of x, then an end for every axis: 2 pads for f32[2, 3] (C1)");
  EXPECT_EQ(refusal(Pad{{-2, -1}}, f32({2})),
            "pads must not crop more than x has, and leave extents that fit in 63 bits: axis 0 of f32[2] has pads -2 "
            "and -1 (C2)");
  EXPECT_TRUE(refused_by("(C2)", Pad{{-3, 5}}, f32({2})));
  EXPECT_TRUE(refused_by("(C2)", Pad{{least, 0}}, f32({2})));
  EXPECT_TRUE(refused_by("(C2)", Pad{{most, 0}}, f32({2})));
  EXPECT_TRUE(refused_by("(C2)", Pad{{most, most}}, f32({0})));
  EXPECT_TRUE(refused_by("(C3)", Pad{{1, 0}, PadMode::reflect}, f32({1})));
  EXPECT_TRUE(refused_by("(C3)", Pad{{-1, 1}, PadMode::reflect}, f32({2})));
  EXPECT_TRUE(refused_by("(C3)", Pad{{0, 1}, PadMode::edge}, f32({0})));
  EXPECT_TRUE(refused_by("(C3)", Pad{{-2, 1}, PadMode::wrap}, f32({2})));
  EXPECT_EQ(refusal(Pad{{1, 1}, PadMode::constant, true}, {{DType::f32, {2}}, {DType::f32, {1}}}),
            "value must be of rank 0: value is f32[1] (C4)");
  EXPECT_NE(refusal(Pad{{1, 1}, PadMode::constant, true}, {{DType::f32, {2}}, {DType::i32, {}}}), "");
}

TEST(TileTypes, ExtentsAreMultiplied) { EXPECT_EQ(infer(Tile{{2, 0, 3}}, f32({2, 3, 4})), f32({4, 0, 12})); }

TEST(TileTypes, Refuses) {
  EXPECT_EQ(refusal(Tile{{2}}, f32({2, 3})),
            "repeats must hold a number >= 0 for every axis of x: 1 repeats for f32[2, 3] (C1)");
  EXPECT_TRUE(refused_by("(C1)", Tile{{2, -1}}, f32({2, 3})));
  EXPECT_NE(refusal(Tile{{most}}, f32({2})), "");
}

TEST(RollTypes, Refuses) {
  EXPECT_EQ(refusal(Roll{{1}, {0, 1}}, f32({2, 3})), "shifts and axes must be as many: 1 shifts, 2 axes (C1)");
  EXPECT_EQ(refusal(Roll{{1}, {2}}, f32({2, 3})), "axis 2 is outside rank 2");
}

TEST(ReverseTypes, Refuses) {
  EXPECT_EQ(refusal(Reverse{{1, -1}}, f32({2, 3})), "axes must be distinct: axis -1 comes twice (C1)");
  EXPECT_EQ(refusal(Reverse{{-3}}, f32({2, 3})), "axis -3 is outside rank 2");
}

TEST(DepthToSpaceTypes, BlocksOfPixels) {
  EXPECT_EQ(infer(DepthToSpace{2}, f32({1, 12, 3, 5})), f32({1, 3, 6, 10}));
  EXPECT_EQ(infer(SpaceToDepth{2}, f32({1, 3, 6, 10})), f32({1, 12, 3, 5}));
}

TEST(DepthToSpaceTypes, Refuses) {
  EXPECT_EQ(refusal(DepthToSpace{2}, f32({4, 3, 5})),
            "x must be of rank 4, and block at least 1: x is f32[4, 3, 5], block is 2 (C1)");
  EXPECT_TRUE(refused_by("(C1)", DepthToSpace{0}, f32({1, 4, 3, 5})));
  EXPECT_TRUE(refused_by("(C2)", DepthToSpace{2}, f32({1, 6, 3, 5})));
  EXPECT_NE(refusal(DepthToSpace{most}, f32({1, 0, 3, 5})), "");
}

TEST(SpaceToDepthTypes, Refuses) {
  EXPECT_TRUE(refused_by("(C1)", SpaceToDepth{2}, f32({4, 4})));
  EXPECT_TRUE(refused_by("(C1)", SpaceToDepth{-1}, f32({1, 4, 3, 5})));
  EXPECT_EQ(refusal(SpaceToDepth{2}, f32({1, 4, 3, 6})),
            "rows and columns must be divisible by block: x is f32[1, 4, 3, 6], block is 2 (C2)");
  EXPECT_NE(refusal(SpaceToDepth{most}, f32({1, 3, 0, 0})), "");
}

}  // namespace
}  // namespace plumb::ir::moves_test

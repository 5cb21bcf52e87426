#include "ir/ops/conv.hpp"

#include <gtest/gtest.h>

#include "tests/gpu_vulkan/lowered.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::DType;
using ir::ops::Conv;

Conv grouped(std::int64_t group) {
  Conv op;
  op.group = group;
  return op;
}

TEST(ConvLowering, TakesDepthwiseForFewFiltersOfOneChannel) {
  const auto [choice, dispatch] = lowered(grouped(6), {{DType::f32, {2, 6, 9}}, {DType::f32, {12, 1, 3}}}, modern());
  EXPECT_EQ(choice.name, "depthwise");
  EXPECT_EQ(dispatch.shader.name, "conv_depthwise.f32");
}

TEST(ConvLowering, SaysWhyItIsNotDepthwise) {
  const auto choose = [](std::int64_t group, const ir::Shape& w) {
    const auto [choice, dispatch] = lowered(grouped(group), {{DType::bf16, {2, 6, 9}}, {DType::bf16, w}}, modern());
    EXPECT_EQ(choice.name, "implicit_gemm");
    EXPECT_EQ(dispatch.shader.name, "conv.bf16");
    return choice.refusals;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(choose(2, {4, 3, 3}), Texts{"depthwise: a filter sees 3 channels, it takes 1"});
  EXPECT_EQ(choose(6, {30, 1, 3}), Texts{"depthwise: a channel has 5 filters, it takes up to 4"});
}

TEST(ConvLowering, ChoosesTilesByTheWork) {
  const auto rows = [](const ir::Shape& x, const ir::Shape& w) {
    return lowered(Conv{}, {{DType::f32, x}, {DType::f32, w}}, modern()).dispatch.shader.constants.at(1);
  };
  EXPECT_EQ(rows({1, 3, 100, 100}, {64, 3, 3, 3}), 64u);
  EXPECT_EQ(rows({1, 3, 20, 20}, {64, 3, 3, 3}), 32u);
  EXPECT_EQ(rows({1, 3, 100, 100}, {2, 3, 3, 3}), 8u);
}

TEST(ConvLowering, RefusesImagesBeyondItsIndex) {
  Conv op;
  op.pads = {(std::int64_t{1} << 31) - 1, 1}, op.strides = {std::int64_t{1} << 30};
  try {
    lowered(op, {{DType::f32, {1, 1, 5}}, {DType::f32, {1, 1, 2}}}, modern());
    FAIL() << "was not refused";
  } catch (const ir::Unsupported& unsupported) {
    EXPECT_STREQ(unsupported.what(),
                 "the padded image has 2147483653 positions on spatial axis 0, shaders count to 2^31");
  }
}

}  // namespace
}  // namespace plumb::gpu_vulkan

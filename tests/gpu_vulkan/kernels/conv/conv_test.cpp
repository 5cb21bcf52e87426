#include "ir/ops/conv.hpp"

#include <gtest/gtest.h>

#include "tests/gpu_vulkan/lowered.hpp"

namespace plumb::gpu_vulkan::conv_test {
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
  const std::string none = "coopmat_bf16: Modern has no bf16 in shaders";
  const std::string f32 = "tiled_wide: operands are bf16, it takes f32";
  const std::string depthwise = "depthwise: a filter sees 3 channels, it takes 1";
  EXPECT_EQ(choose(2, {4, 3, 3}), (Texts{depthwise, "patch: Modern has no bf16 in shaders", none, f32,
                                         "product: a filter has 3 elements a channel, it takes 1"}));
  EXPECT_EQ(choose(6, {30, 1, 3}).at(0), "depthwise: a channel has 5 filters, it takes up to 4");
}

TEST(ConvLowering, MultipliesMatricesWhereTheKernelIsOneElement) {
  const auto choose = [](const Conv& op, const ir::Shape& x, const ir::Shape& w, DType dtype = DType::f32) {
    std::vector<ir::TensorType> operands = {{dtype, x}, {dtype, w}};
    if (op.has_bias) operands.push_back({dtype, {w[0]}});
    const plan::KernelChoice choice = lowered_node(op, operands, modern()).choice;
    for (const auto& refusal : choice.refusals)
      if (refusal.starts_with("product: ")) return refusal.substr(9);
    return choice.name;
  };
  Conv biased;
  biased.has_bias = true;
  EXPECT_EQ(choose(biased, {4, 64, 28, 28}, {128, 64, 1, 1}, DType::f64), "tiled");
  EXPECT_EQ(choose(biased, {4, 64, 28, 28}, {7, 64, 1, 1}), "tiled_wide");
  EXPECT_EQ(choose(biased, {4, 64, 28, 28}, {6, 64, 1, 1}, DType::f16), "coopmat_f16");
  EXPECT_EQ(choose(grouped(2), {4, 64, 28, 28}, {256, 32, 1, 1}, DType::f64), "tiled");
  Conv strided;
  strided.strides = {2, 2};
  const std::string moved = "positions of y are not those of x, by strides or pads";
  EXPECT_EQ(choose(strided, {4, 64, 28, 28}, {128, 64, 1, 1}, DType::f64), moved);
  biased.group = 2;
  EXPECT_EQ(choose(biased, {4, 64, 28, 28}, {128, 32, 1, 1}, DType::f64), "each group has a bias of its own");
  EXPECT_EQ(choose(Conv{}, {4, 65, 8, 8}, {128, 65, 1, 1}, DType::f64),
            "65 channels of 64 positions are no multiples of 2");
}

TEST(ConvLowering, TakesTilesOfManyFiltersWhereThoseFillThem) {
  const auto tile = [](std::int64_t filters) {
    const plan::KernelChoice choice =
        lowered(Conv{}, {{DType::f32, {16, 64, 56, 56}}, {DType::f32, {filters, 64, 1, 1}}}, modern()).choice;
    EXPECT_EQ(choice.name, "tiled_wide");
    return choice.tile;
  };
  EXPECT_EQ(tile(64), "64x128x8");
  EXPECT_EQ(tile(95), "64x128x8");
  EXPECT_EQ(tile(96), "128x64x8");
  EXPECT_EQ(tile(256), "128x64x8");
}

TEST(ConvLowering, TakesCooperativeMatricesFor16Bits) {
  const auto choose = [](const ir::Shape& w, DType dtype, device::DeviceFacts facts) {
    return lowered(Conv{}, {{dtype, {1, w[1], 30, 30}}, {dtype, w}}, facts);
  };
  const auto f16 = choose({64, 32, 3, 3}, DType::f16, modern());
  EXPECT_EQ(f16.choice.name, "coopmat_f16");
  EXPECT_EQ(f16.dispatch.shader.name, "conv_cooperative.f16");
  EXPECT_EQ(f16.dispatch.shader.subgroup_size, 32u);
  device::DeviceFacts more = modern();
  more.rounds_to_even_f16 = more.bfloat16 = true;
  more.cooperative_shapes.push_back({16, 16, 16, DType::bf16, DType::bf16, DType::f32, DType::f32});
  EXPECT_EQ(choose({64, 32, 3, 3}, DType::f16, more).dispatch.shader.name, "conv_cooperative.f16_rte");
  const auto bf16 = choose({64, 32, 3, 3}, DType::bf16, more);
  EXPECT_EQ(bf16.choice.name, "coopmat_bf16");
  EXPECT_EQ(bf16.dispatch.shader.name, "conv_cooperative.bf16");
}

TEST(ConvLowering, SaysWhyNotByCooperativeMatrices) {
  const auto refusal = [](const ir::Shape& x, const ir::Shape& w, const plan::PlanOptions& options) {
    const auto [choice, dispatch] = lowered(Conv{}, {{DType::f16, x}, {DType::f16, w}}, modern(), options);
    EXPECT_EQ(choice.name, "implicit_gemm");
    return choice.refusals.at(2).substr(13);
  };
  EXPECT_EQ(refusal({1, 3, 40}, {7, 3, 3}, {}), "matrices of 16x16x16 would be mostly empty for 7 filters");
  EXPECT_EQ(refusal({1, 3, 40}, {8, 3, 30}, {}), "a kernel of 1 x 1 x 30 has extents of 32 together, it takes 31");
  EXPECT_EQ(refusal({1, 3, 40}, {8, 3, 3}, {.cooperative_doubt = "element 3 is wrong"}),
            "Modern's cooperative matrices failed their self-test: element 3 is wrong");
}

TEST(ConvLowering, StagesWhatTapsShareOnceWhereStepsAreOne) {
  Conv op;
  op.pads = {1, 1, 1, 1};
  const std::vector<ir::TensorType> operands = {{DType::f16, {16, 64, 56, 56}}, {DType::f16, {64, 64, 3, 3}}};
  const LoweredNode node = lowered_node(op, operands, modern());
  EXPECT_EQ(node.choice.name, "coopmat_f16");
  EXPECT_EQ(node.choice.tile_reason, "64x128x48: the first of at least 200 workgroups, 406 workgroups");
  ASSERT_EQ(node.schedule.dispatches.size(), 2u);
  EXPECT_EQ(node.schedule.dispatches[0].shader.name, "conv_pack");
  EXPECT_EQ(node.schedule.dispatches[1].shader.name, "conv_halo.f16");
  EXPECT_EQ(node.schedule.slots.at(node.schedule.dispatches[0].writes[0]).bytes, 2u * 64 * 64 * 9);
  EXPECT_EQ(node.schedule.dispatches[0].writes[0], node.schedule.dispatches[1].reads[1]);
}

TEST(ConvLowering, SaysWhyItStagesNoPatch) {
  const auto refusal = [](const Conv& op, const ir::Shape& x, const ir::Shape& w,
                          device::DeviceFacts facts = modern()) {
    const LoweredNode node = lowered_node(op, {{DType::f16, x}, {DType::f16, w}}, facts);
    EXPECT_EQ(node.schedule.dispatches.back().shader.name, "conv_cooperative.f16");
    return node.choice.refusals.at(1);
  };
  Conv strided, padded;
  strided.strides = {2, 2};
  padded.pads = {0, 9, 0, 9};
  EXPECT_EQ(refusal(strided, {16, 64, 56, 56}, {64, 64, 3, 3}), "patch: steps are not of one element");
  EXPECT_EQ(refusal({}, {2, 64, 6, 16, 16}, {64, 64, 3, 3, 3}), "patch: there are three spatial axes");
  EXPECT_EQ(refusal({}, {16, 66, 57, 57}, {64, 66, 1, 1}), "patch: no element is met by more than one tap");
  EXPECT_EQ(refusal({}, {1, 64, 7, 7}, {64, 64, 3, 3}), "patch: too small for a pipeline of its own");
  EXPECT_EQ(refusal(padded, {64, 64, 3, 3}, {64, 64, 3, 19}),
            "patch: lines of 12, 3 an image, would be mostly padding");
  EXPECT_EQ(refusal({}, {16, 3, 224, 224}, {64, 3, 7, 7}),
            "patch: blocks would be mostly empty for 3 channels and 64 filters");
  EXPECT_EQ(refusal({}, {4, 64, 9, 1000}, {64, 64, 3, 3}),
            "patch: too little shared memory or too small workgroups for taps 2002 elements apart");
}

TEST(ConvLowering, ChoosesTilesByTheWork) {
  const auto rows = [](const ir::Shape& x, const ir::Shape& w, DType dtype = DType::f32) {
    return lowered(Conv{}, {{dtype, x}, {dtype, w}}, modern()).dispatch.shader.constants["rows"];
  };
  EXPECT_EQ(rows({1, 3, 200, 250}, {64, 3, 3, 3}), 64u);
  EXPECT_EQ(rows({1, 3, 20, 20}, {64, 3, 3, 3}), 32u);
  EXPECT_EQ(rows({1, 3, 100, 100}, {64, 3, 3, 3}, DType::f64), 64u);
  EXPECT_EQ(rows({1, 3, 20, 20}, {64, 3, 3, 3}, DType::f64), 32u);
  EXPECT_EQ(rows({1, 3, 100, 100}, {2, 3, 3, 3}), 8u);
}

TEST(ConvLowering, RefusesImagesBeyondItsIndex) {
  Conv op;
  op.pads = {(std::int64_t{1} << 31) - 1, 1};
  op.strides = {std::int64_t{1} << 30};
  try {
    lowered(op, {{DType::f32, {1, 1, 5}}, {DType::f32, {1, 1, 2}}}, modern());
    FAIL() << "was not refused";
  } catch (const ir::Unsupported& unsupported) {
    EXPECT_STREQ(unsupported.what(),
                 "the padded image has 2147483653 positions on spatial axis 0, shaders count to 2^31");
  }
}

}  // namespace
}  // namespace plumb::gpu_vulkan::conv_test

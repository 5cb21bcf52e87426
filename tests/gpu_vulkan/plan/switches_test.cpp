// Families of kernels that are turned off, on devices that are made up: no GPU is needed.
#include <gmock/gmock.h>

#include "ir/ops/attention.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/top_k.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/gpu_vulkan/lowered.hpp"

namespace plumb::gpu_vulkan::switches_test {
namespace {

using device::KernelFamily;
using ir::DType;
using ::testing::Contains;

plan::KernelChoice kernel_without(device::KernelFamilies without, const ir::Op& op,
                                  const std::vector<ir::TensorType>& operands) {
  return lowered_node(op, operands, testing::h200(), {.without = std::move(without)}).choice;
}

TEST(Switches, CooperativeMatricesCanBeTurnedOff) {
  const plan::PlanOptions off{.cooperative = false};
  const ir::TensorTypes squares(2, {DType::f16, {512, 512}});
  const plan::KernelChoice product = lowered_node(ir::ops::Matmul{}, squares, testing::h200(), off).choice;
  EXPECT_EQ(product.name, "tiled");
  EXPECT_THAT(product.refusals, Contains("coopmat_f16: turned off by --set cooperative=false"));
  const ir::ops::Conv conv{.strides = {}, .dilations = {}, .pads = {1, 1, 1, 1}};
  const std::vector<ir::TensorType> images = {{DType::bf16, {16, 64, 56, 56}}, {DType::bf16, {64, 64, 3, 3}}};
  EXPECT_EQ(lowered_node(conv, images, testing::h200(), off).choice.name, "implicit_gemm");
  const ir::TensorTypes heads(3, {DType::f16, {1, 8, 256, 64}});
  EXPECT_EQ(lowered_node(ir::ops::Attention{}, heads, testing::h200(), off).choice.name, "tiled");
}

TEST(Switches, AFamilyThatIsTurnedOffLeavesItsPlaceToTheNext) {
  const ir::TensorTypes squares(2, {DType::f32, {2048, 2048}});
  EXPECT_EQ(kernel_without({}, ir::ops::Matmul{}, squares).name, "tiled_wide");
  const plan::KernelChoice tiled = kernel_without({KernelFamily::tiled_wide}, ir::ops::Matmul{}, squares);
  EXPECT_EQ(tiled.name, "tiled");
  EXPECT_THAT(tiled.refusals, Contains("tiled_wide: turned off by --set without=tiled_wide"));
  const std::vector<ir::TensorType> slices = {{DType::f32, {64, 4096}}, {DType::f32, {4096, 64}}};
  EXPECT_EQ(kernel_without({}, ir::ops::Matmul{}, slices).name, "tiled_wide_split8");
  EXPECT_EQ(kernel_without({KernelFamily::split_k}, ir::ops::Matmul{}, slices).name, "tiled_wide");
  const std::vector<ir::TensorType> column = {{DType::f32, {1024, 1024}}, {DType::f32, {1024, 1}}};
  EXPECT_EQ(kernel_without({}, ir::ops::Matmul{}, column).name, "vector_wide");
  EXPECT_EQ(kernel_without({KernelFamily::vector_wide}, ir::ops::Matmul{}, column).name, "vector");
  EXPECT_EQ(kernel_without({KernelFamily::vector_wide, KernelFamily::vector}, ir::ops::Matmul{}, column).name, "tiled");
  const ir::TensorTypes heads(3, {DType::f16, {1, 8, 256, 64}});
  EXPECT_EQ(kernel_without({}, ir::ops::Attention{}, heads).name, "coopmat_f16_converted");
  EXPECT_EQ(kernel_without({KernelFamily::coopmat_converted}, ir::ops::Attention{}, heads).name, "coopmat_f16");
  const ir::TensorTypes lines(1, {DType::f32, {512, 512}});
  EXPECT_EQ(kernel_without({}, ir::ops::Softmax{-1}, lines).name, "rows");
  EXPECT_EQ(kernel_without({KernelFamily::rows}, ir::ops::Softmax{-1}, lines).name, "lines");
  EXPECT_EQ(kernel_without({KernelFamily::selected}, ir::ops::TopK{.k = 4}, lines).name, "sorted");
}

TEST(Switches, AnOpWhoseKernelsAreAllTurnedOffIsRefusedAndSaysWhy) {
  const ir::TensorTypes lines(1, {DType::f32, {512, 512}});
  try {
    kernel_without({KernelFamily::rows, KernelFamily::lines}, ir::ops::Softmax{-1}, lines);
    FAIL();
  } catch (const ir::Unsupported& refusal) {
    EXPECT_STREQ(refusal.what(), "rows: turned off by --set without=rows; lines: turned off by --set without=lines");
  }
}

}  // namespace
}  // namespace plumb::gpu_vulkan::switches_test

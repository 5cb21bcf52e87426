#include <gtest/gtest.h>

#include "ir/ops/dequant_grouped_matmul.hpp"
#include "ir/ops/grouped_matmul.hpp"
#include "tests/gpu_vulkan/lowered.hpp"

// Products whose rows have experts are lowered on a device that is made up: no GPU is needed.
namespace plumb::gpu_vulkan::experts_lowering_test {
namespace {

using ir::DType;

LoweredNode experts(std::int64_t rows, std::int64_t count, std::int64_t columns) {
  return lowered_node(ir::ops::GroupedMatmul{},
                      {{DType::f32, {rows, 40}}, {DType::f32, {count, 40, columns}}, {DType::i32, {rows}}}, modern());
}

TEST(Experts, TakeTwoDispatchesHoweverManyRowsThereAre) {
  for (const std::int64_t rows : {1, 8, 5000}) {
    const LoweredNode node = experts(rows, 128, 96);
    ASSERT_EQ(node.schedule.dispatches.size(), 2u);
    EXPECT_EQ(node.schedule.dispatches[0].shader.name, "grouped_rows");
    EXPECT_EQ(node.schedule.dispatches[0].groups, (plan::Groups{1, 1, 1}));
    EXPECT_EQ(node.schedule.dispatches[1].shader.name, "grouped_matmul.f32");
  }
}

/// Workgroups follow the rows, not the experts: one tile for each expert that has rows, and one more for every 8 or 64.
TEST(Experts, WithoutRowsCostNothing) {
  const auto groups = [](const LoweredNode& node) { return node.schedule.dispatches[1].groups[0]; };
  EXPECT_EQ(groups(experts(8, 128, 32)), 8u);
  EXPECT_EQ(groups(experts(8, 100000, 32)), 8u);
  EXPECT_EQ(groups(experts(1, 1, 65)), 3u);
  EXPECT_EQ(groups(experts(640, 2, 64)), (640u + 3 * 63) / 64);
  EXPECT_EQ(experts(640, 2, 64).choice.name, "grouped64");
  EXPECT_EQ(experts(32, 2, 64).choice.name, "grouped8");
}

LoweredNode packed_experts(std::int64_t rows, const ir::ops::DequantGroupedMatmul& op = {}) {
  device::DeviceFacts facts = modern();
  facts.storage8 = true;
  facts.max_storage_buffers = 9;
  return lowered_node(op, {{DType::f32, {rows, 64}}, {DType::u8, {4, 33, 68}}, {DType::i64, {rows}}}, facts);
}

TEST(Experts, OfPackedWeightsHaveTheShaderOfOtherPackedWeights) {
  const LoweredNode node = packed_experts(33);
  ASSERT_EQ(node.schedule.dispatches.size(), 2u);
  EXPECT_EQ(node.choice.name, "grouped8");
  EXPECT_EQ(node.schedule.dispatches[1].shader.name, "packed_matmul.f32");
  EXPECT_EQ(node.schedule.dispatches[1].shader.constants["is_grouped"], 1u);
}

/// A tile has about twice the rows that an expert has, but no more than there are, or 8.
TEST(Experts, OfPackedWeightsThatHaveFewRowsEachAreStreamed) {
  for (const auto& [rows, of_tile] : {std::pair{1, 1u}, {4, 2u}, {9, 8u}, {32, 8u}}) {
    const LoweredNode node = packed_experts(rows);
    ASSERT_EQ(node.schedule.dispatches.size(), 2u);
    EXPECT_EQ(node.choice.name, "packed_vector");
    EXPECT_EQ(node.schedule.dispatches[1].shader.constants["rows"], of_tile) << rows;
  }
}

}  // namespace
}  // namespace plumb::gpu_vulkan::experts_lowering_test

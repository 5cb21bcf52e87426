#include <gtest/gtest.h>

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/transpose.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::movement_lowering_test {
namespace {

using ir::DType;

/// One op, lowered for a device that has 8- and 16-bit storage, or has not. No
/// GPU is touched.
struct Lowered {
  ir::Graph graph;
  device::DeviceFacts facts;
  plan::Schedule schedule;
  std::vector<plan::Slot> slots;
  std::string kernel;

  Lowered(ir::Op op, const ir::TensorTypes& operands, bool narrow_storage = true) {
    facts.name = "phone";
    facts.storage8 = facts.storage16 = narrow_storage;
    std::vector<ir::Value> inputs;
    for (const auto& type : operands) inputs.push_back(graph.input(ir::cat("x", inputs.size()), type));
    graph.add_all("y", std::move(op), inputs);
    for (ir::Value v = 0; v < graph.value_count(); ++v) slots.push_back(schedule.slot(graph.type(v).bytes()));
    const plan::Slot faults = schedule.slot(sizeof(plan::Fault));
    const plan::PlanOptions options;
    plan::Lowering node(graph, graph.nodes()[0], facts, options, slots, faults, schedule);
    plan::lower_op(graph.nodes()[0].op, node);
    kernel = node.choice().name;
  }

  std::vector<std::string> shaders() const {
    std::vector<std::string> names;
    for (const plan::Dispatch& dispatch : schedule.dispatches) names.push_back(dispatch.shader.name);
    return names;
  }
};

using Names = std::vector<std::string>;

TEST(MovementLowering, WhatMovesNothingIsAnAlias) {
  const Lowered transpose(ir::ops::Transpose{{1, 0, 2}}, {{DType::f32, {1, 5, 7}}});
  EXPECT_EQ(transpose.kernel, "alias");
  EXPECT_EQ(transpose.slots[1], transpose.slots[0]);
  EXPECT_TRUE(transpose.shaders().empty());
  EXPECT_EQ(Lowered(ir::ops::Slice{{0}, {0}, {3}, {}}, {{DType::f32, {3, 2}}}).kernel, "alias");
  EXPECT_EQ(Lowered(ir::ops::Expand{{1, 3}}, {{DType::f32, {3}}}).kernel, "alias");
  EXPECT_EQ(Lowered(ir::ops::Split{0, {0, 3}}, {{DType::f32, {3, 2}}}).kernel, "alias");
}

TEST(MovementLowering, TheFirstRowsAreNoAliasThoughTheyStartAlike) {
  EXPECT_EQ(Lowered(ir::ops::Slice{{0}, {0}, {2}, {}}, {{DType::f32, {3, 5}}}).shaders(), Names{"strided_copy.w8"});
}

TEST(MovementLowering, OneInputAmongEmptyOnesIsTheResult) {
  const Lowered concat(ir::ops::Concat{0}, {{DType::f32, {0, 2}}, {DType::f32, {3, 2}}});
  EXPECT_EQ(concat.kernel, "alias");
  EXPECT_EQ(concat.slots[2], concat.slots[1]);
}

TEST(MovementLowering, OneDispatchForEachInputThatHoldsSomething) {
  EXPECT_EQ(Lowered(ir::ops::Concat{0}, {{DType::f32, {1, 4}}, {DType::f32, {0, 4}}, {DType::f32, {3, 4}}}).shaders(),
            (Names{"strided_copy.w16", "strided_copy.w16"}));
}

TEST(MovementLowering, WhatRunsAcrossGoesThroughTiles) {
  EXPECT_EQ(Lowered(ir::ops::Transpose{{1, 0}}, {{DType::f32, {64, 33}}}).shaders(), Names{"strided_transpose.w4"});
  EXPECT_EQ(Lowered(ir::ops::Transpose{{1, 0}}, {{DType::f32, {64, 3}}}).shaders(), Names{"strided_copy.w4"});
}

TEST(MovementLowering, HeadsMoveInWordsOf16Bytes) {
  EXPECT_EQ(Lowered(ir::ops::Transpose{{0, 2, 1, 3}}, {{DType::f16, {2, 17, 3, 64}}}).shaders(),
            Names{"strided_copy.w16"});
}

TEST(MovementLowering, NarrowStorageIsAskedForOnlyWhereNarrowElementsMove) {
  const ir::Op swap = ir::ops::Transpose{{1, 0, 2}};
  EXPECT_EQ(Lowered(swap, {{DType::u8, {3, 5, 12}}}, false).shaders(), Names{"strided_copy.w4"});
  EXPECT_EQ(tests::message_of([&] {
              Lowered(swap, {{DType::u8, {3, 5, 7}}}, false);
            }),
            "phone has no 8-bit elements in storage buffers");
  EXPECT_EQ(tests::message_of([&] {
              Lowered(swap, {{DType::u8, {3, 5, 6}}}, false);
            }),
            "phone has no 16-bit elements in storage buffers");
  EXPECT_EQ(Lowered(ir::ops::Gather{}, {{DType::f16, {7, 6}}, {DType::i64, {2}}}, false).shaders(), Names{"gather.w4"});
}

TEST(MovementLowering, RefusesMoreElementsThanShadersCount) {
  EXPECT_EQ(tests::message_of([] {
              Lowered(ir::ops::Slice{{0}, {1}, {2}, {}}, {{DType::u8, {std::int64_t{1} << 31}}});
            }),
            "u8[2147483648] has 2^31 elements or more");
}

}  // namespace
}  // namespace plumb::gpu_vulkan::movement_lowering_test

// Lowering of the ops that sort, scan and index, on devices that are made up.
#include <gtest/gtest.h>

#include "gpu_vulkan/kernels/common/full_subgroups.hpp"
#include "ir/ops/arg_reduce.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/ops/gather_elements.hpp"
#include "ir/ops/hardmax.hpp"
#include "ir/ops/scatter_add.hpp"
#include "ir/ops/scatter_elements.hpp"
#include "ir/ops/scatter_nd.hpp"
#include "ir/ops/sort.hpp"
#include "ir/ops/top_k.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/gpu_vulkan/lowered.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::ordering_lowering_test {
namespace {

using ir::DType;
using namespace ir::ops;
using Names = std::vector<std::string>;

Names shaders(const ir::Op& op, const ir::TensorTypes& operands, const device::DeviceFacts& facts = testing::h200()) {
  Names names;
  for (const plan::Dispatch& dispatch : lowered_node(op, operands, facts).schedule.dispatches)
    names.push_back(dispatch.shader.name);
  return names;
}

TEST(OrderingLowering, ALineThatFitsIsSortedAtOnce) {
  EXPECT_EQ(shaders(Sort{}, {{DType::f32, {7, 2048}}}), Names{"sort_block.w4"});
  EXPECT_EQ(shaders(TopK{.k = 5, .axis = 0}, {{DType::f64, {2048, 3}}}), Names{"sort_block.w8"});
}

TEST(OrderingLowering, ALongLineTakesAMergeForEveryDoubling) {
  const LoweredNode node = lowered_node(Sort{}, {{DType::f16, {5 * 2048 + 1}}}, testing::h200());
  const auto& dispatches = node.schedule.dispatches;
  ASSERT_EQ(dispatches.size(), 4u);  // 6 runs, 3, 2, 1
  for (std::size_t d = 1; d < 4; ++d) EXPECT_EQ(dispatches[d].shader.name, "sort_merge.w2");
  EXPECT_EQ(dispatches[3].writes, (std::vector{node.slots[1], node.slots[1], node.slots[2]}));
}

TEST(OrderingLowering, RunsFitIntoSharedMemory) {
  for (const std::uint32_t shared : {16u << 10, 32u << 10, 48u << 10})
    for (const DType dtype : {DType::f32, DType::i64})
      for (const std::int64_t length : {2, 5, 1000, 100'000}) {
        device::DeviceFacts facts = testing::any_device();
        facts.shared_memory = shared;
        const plan::Dispatch block = lowered_node(Sort{}, {{dtype, {999, length}}}, facts).schedule.dispatches.at(0);
        const std::uint32_t entry = dtype == DType::i64 ? 12 : 8;
        EXPECT_LE(block.shader.constants["slots"] * block.shader.constants["runs_here"] * entry, shared);
        EXPECT_LE(block.shader.constants["invocations"], facts.max_invocations);
      }
}

TEST(OrderingLowering, TopKKeepsNoMoreThanKOfARun) {
  const LoweredNode node = lowered_node(TopK{.k = 10}, {{DType::f32, {1 << 20}}}, testing::h200());
  std::size_t scratch = 0;
  for (const auto& range : node.schedule.slots) scratch += range.bytes;
  EXPECT_LT(scratch, (std::size_t{4} << 20) + (1 << 17));  // x, and 8 bytes for 10 of every 2048 and less later
}

TEST(OrderingLowering, FewOfALineAreSelected) {
  EXPECT_EQ(shaders(TopK{.k = 64}, {{DType::f32, {4096, 16384}}}), Names{"sort_select.w4"});
  EXPECT_EQ(shaders(TopK{.k = 8}, {{DType::i8, {100'000, 64}}}), Names{"sort_select.w1"});
  EXPECT_EQ(shaders(TopK{.k = 8, .sorted = false}, {{DType::f16, {100, 64}}}),
            (Names{"sort_select.w2", "sort_block.w2"}));
  EXPECT_EQ(shaders(TopK{.k = 5}, {{DType::f32, {4, 40'000}}}).front(), "sort_select.w4");
}

TEST(OrderingLowering, WhyALineIsSortedInstead) {
  const auto why = [](const TopK& op, const ir::TensorType& x, const device::DeviceFacts& facts = testing::h200()) {
    const plan::KernelChoice choice = lowered_node(op, {x}, facts).choice;
    EXPECT_EQ(choice.name, "sorted");
    return choice.reasons().at(0);
  };
  EXPECT_EQ(why({.k = 5}, {DType::f64, {4096}}), "selected: elements have 8 bytes");
  EXPECT_EQ(why({.k = 5, .axis = 0}, {DType::f32, {4096, 2}}), "selected: neighbours are of different lines");
  EXPECT_EQ(why({.k = 1025}, {DType::f32, {100'000}}), "selected: more than 1024 are wanted");
  EXPECT_EQ(why({.k = 17}, {DType::f32, {64}}), "selected: more than a quarter are wanted");
  device::DeviceFacts facts = testing::h200();
  facts.subgroup_size_control = false;
  EXPECT_EQ(why({.k = 5}, {DType::f32, {64}}, facts),
            "selected: NVIDIA H200 has no arithmetic in subgroups of a known size");
}

TEST(OrderingLowering, ASelectionFitsTheDevice) {
  for (const std::uint32_t subgroup : {4u, 8u, 32u, 64u})
    for (const std::uint32_t shared : {16u << 10, 48u << 10})
      for (const DType dtype : {DType::u8, DType::f16, DType::f32})
        for (const std::int64_t length : {64, 1000, 16384, 32768, 33333, 1'000'000})
          for (const std::int64_t k : {std::int64_t{1}, std::int64_t{16}, std::min<std::int64_t>(length / 4, 1024)}) {
            device::DeviceFacts facts = testing::any_device();
            facts.shared_memory = shared;
            facts.subgroup_size = subgroup;
            const LoweredNode node = lowered_node(TopK{.k = k}, {{dtype, {3, length}}}, facts);
            if (node.choice.name != "selected") continue;
            const plan::Shader& shader = node.schedule.dispatches.at(0).shader;
            const auto& c = shader.constants;
            const std::uint32_t width =
                c["is_packed"] != 0 ? 16 / static_cast<std::uint32_t>(ir::info(dtype).bytes) : 1;
            EXPECT_LE(c["units"] * width, 32u);  // a bit for each element of a lane
            EXPECT_GE(c["slots"], k);
            EXPECT_LE(8 * c["slots"] * (c["invocations"] / c["lanes"]), shared);
            EXPECT_LE(c["invocations"], kernels::common::most_invocations(facts));
            EXPECT_TRUE(c["lanes"] == c["invocations"] || c["lanes"] == subgroup);
            EXPECT_EQ(shader.subgroup_size, subgroup);
          }
}

TEST(OrderingLowering, Bits64AskNothingOfADeviceThatHasNone) {
  const device::DeviceFacts phone = testing::phone();
  EXPECT_EQ(shaders(ArgReduce{}, {{DType::f64, {30}}}, phone), Names{"arg_reduce.w8"});
  EXPECT_EQ(shaders(Sort{}, {{DType::i64, {30}}}, phone), Names{"sort_block.w8"});
  EXPECT_EQ(shaders(Hardmax{}, {{DType::f64, {30}}}, phone), (Names{"arg_reduce.w8", "hardmax.w8"}));
  EXPECT_EQ(shaders(GatherElements{}, {{DType::f64, {30}}, {DType::i64, {3}}}, phone), Names{"gather_elements.w8"});
  EXPECT_EQ(tests::message_of([&] {
              shaders(Cumulative{}, {{DType::i64, {30}}}, phone);
            }),
            "phone has no i64 in shaders");
  EXPECT_EQ(tests::message_of([&] {
              shaders(Sort{}, {{DType::u8, {30}}}, phone);
            }),
            "phone has no 8-bit elements in storage buffers");
}

TEST(OrderingLowering, LongLinesAreScannedInSlices) {
  EXPECT_EQ(shaders(Cumulative{}, {{DType::f32, {4000, 300}}}), Names{"cumulative_rows.f32"});
  EXPECT_EQ(shaders(Cumulative{}, {{DType::f32, {4000, 301}}}), Names{"cumulative.f32"});  // not whole packs
  EXPECT_EQ(shaders(Cumulative{.axis = 0}, {{DType::f32, {300, 4000}}}), Names{"cumulative.f32"});
  EXPECT_EQ(shaders(Cumulative{}, {{DType::c64, {1 << 20}}}), (Names{"cumulative.f32", "cumulative.f32"}));
  EXPECT_EQ(shaders(ArgReduce{}, {{DType::f32, {1 << 20}}}), (Names{"arg_reduce.w4", "arg_reduce.w4"}));
}

TEST(ScatterLowering, NoneCountsTheLastUpdates) {
  EXPECT_EQ(shaders(ScatterNd{}, {{DType::f16, {5, 64}}, {DType::i64, {3, 1}}, {DType::f16, {3, 64}}}),
            (Names{"strided_copy.w16", "scatter_targets.tuples", "scatter_winners", "scatter_write.w16"}));
}

TEST(ScatterLowering, SumsAreInSortedOrderAndManyInChunks) {
  const auto add = [](std::int64_t n) {
    return shaders(ScatterElements{0, ir::kernels::ScatterReduction::add},
                   {{DType::f32, {5}}, {DType::i32, {n}}, {DType::f32, {n}}});
  };
  EXPECT_EQ(add(100), (Names{"strided_copy.w4", "scatter_targets.elements", "sort_block.w4", "scatter_fold.f32"}));
  EXPECT_EQ(add(2000), (Names{"strided_copy.w4", "scatter_targets.elements", "sort_block.w4", "scatter_fold.f32",
                              "scatter_fold.f32"}));
}

TEST(ScatterLowering, NoUpdatesAreAnAliasOrZeros) {
  const auto none =
      lowered_node(ScatterElements{}, {{DType::f32, {5}}, {DType::i32, {0}}, {DType::f32, {0}}}, testing::h200());
  EXPECT_EQ(none.choice.name, "alias");
  EXPECT_EQ(none.slots[3], none.slots[0]);
  EXPECT_EQ(shaders(ScatterAdd{0, 7}, {{DType::f32, {0, 3}}, {DType::i32, {0}}}), Names{"zero"});
}

}  // namespace
}  // namespace plumb::gpu_vulkan::ordering_lowering_test

#include "gpu_vulkan/plan/plan.hpp"

#include <gmock/gmock.h>

#include "ir/ops/cast.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/transpose.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::plan_test {
namespace {

using ir::DType;
using ir::Placement;
using ir::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Values = std::vector<Value>;

const ir::ops::Transpose turn{{1, 0}};

/// A host that runs everything, or only what is no transpose.
struct Host final : ir::Executor {
  bool turns = true;
  std::string_view name() const override { return "host"; }
  bool has_kernel(const ir::OpSchema& schema) const override { return turns || schema.name != "transpose"; }
  std::unique_ptr<ir::Executable> compile(const ir::Graph&, const ir::Feeds&, const ir::Capture&) override {
    return nullptr;
  }
};

/// n transposes, one after the other, named t0, t1, ...
struct Chain {
  ir::Graph graph;
  Values values;

  explicit Chain(std::size_t n, DType dtype = DType::f32, ir::Shape shape = {3, 5}) {
    values.push_back(graph.input("x", {dtype, shape}));
    for (std::size_t i = 0; i < n; ++i) values.push_back(graph.add(ir::cat('t', i), turn, {values.back()}));
    graph.returns(values.back());
  }
};

TEST(Plan, AChainIsOneSubmitInTwoSlots) {
  const Chain chain(6);
  const plan::Plan plan = plan::make_plan(chain.graph, {{chain.values.back()}}, testing::h200(), {});
  ASSERT_EQ(plan.segments.size(), 1u);
  EXPECT_THAT(plan.segments[0].uploads, ElementsAre(chain.values[0]));
  EXPECT_THAT(plan.segments[0].downloads, ElementsAre(chain.values.back()));
  EXPECT_EQ(plan.segments[0].end, 6u);
  EXPECT_EQ(plan.barrier_before, (std::vector<bool>{false, true, true, true, true, true}));
  EXPECT_EQ(plan.arena.buffers, std::vector<std::size_t>{64 + 60});
  for (const auto& node : plan.nodes) EXPECT_EQ(node.placement, Placement::gpu);
}

TEST(Plan, WhatIsCapturedLivesToTheEnd) {
  const Chain chain(4);
  const plan::Plan plan = plan::make_plan(chain.graph, {{chain.values[1], chain.values[4]}}, testing::h200(), {});
  EXPECT_THAT(plan.segments[0].downloads, ElementsAre(chain.values[1], chain.values[4]));
  EXPECT_EQ(plan.arena.buffers, std::vector<std::size_t>{2 * 64 + 60});
  const plan::Plan all = plan::make_plan(chain.graph, {{}, true}, testing::h200(), {});
  EXPECT_THAT(all.captured, ElementsAre(1, 2, 3, 4));
}

TEST(Plan, NodesThatNobodyWantsAreElided) {
  const Chain chain(3);
  const plan::Plan plan = plan::make_plan(chain.graph, {{chain.values[1]}}, testing::h200(), {});
  EXPECT_EQ(plan.schedule.dispatches.size(), 1u);
  EXPECT_EQ(plan.nodes[2].placement, Placement::elided);
  EXPECT_EQ(plan.nodes[2].reason, "no wanted value depends on it");
  EXPECT_THROW(plan::make_plan(chain.graph, {{99}}, testing::h200(), {}), ir::Error);
}

TEST(Plan, AnAliasIsTheSameSlotAndNoDispatch) {
  ir::Graph graph;
  const Value x = graph.input("x", {DType::f32, {3, 5}});
  const Value y = graph.add("y", turn, {x});
  const Value flat = graph.add("flat", ir::ops::Reshape{{-1}}, {y});
  const Value z = graph.add("z", ir::ops::Reshape{{5, 3}}, {flat});
  const plan::Plan plan = plan::make_plan(graph, {{y, flat, z}}, testing::h200(), {});
  EXPECT_EQ(plan.slot(flat), plan.slot(y));
  EXPECT_EQ(plan.slot(z), plan.slot(y));
  EXPECT_EQ(plan.nodes[1].placement, Placement::elided);
  EXPECT_EQ(plan.nodes[1].kernel, "alias");
  EXPECT_THAT(plan.segments[0].downloads, ElementsAre(y, flat, z));
  EXPECT_EQ(plan.schedule.dispatches.size(), 1u);
}

TEST(Plan, AnAliasOfAnInputGoesUpAndComesBack) {
  ir::Graph graph;
  const Value x = graph.input("x", {DType::f32, {3, 5}});
  const Value flat = graph.add("flat", ir::ops::Reshape{{-1}}, {x});
  const plan::Plan plan = plan::make_plan(graph, {{x, flat}}, testing::h200(), {});
  EXPECT_THAT(plan.segments[0].uploads, ElementsAre(x));
  EXPECT_THAT(plan.segments[0].downloads, ElementsAre(flat));  // the host has x
  EXPECT_TRUE(plan.placed(plan.slot(x)));
}

TEST(Plan, ConstantsAndParamsAreResident) {
  ir::Graph graph;
  const Value x = graph.input("x", {DType::f32, {2}});
  const Value w = graph.param("w", {DType::f32, {2}});
  const Value unused = graph.param("unused", {DType::f32, {2}});
  const Value one = graph.add("one", ir::ops::Constant{DType::f32, {1}, ir::Bytes(4)}, {});
  const Value y = graph.add("y", ir::ops::Concat{0}, {x, w, one});
  const plan::Plan plan = plan::make_plan(graph, {{y, one}}, testing::h200(), {});
  for (const Value v : {w, one}) {
    EXPECT_EQ(plan.schedule.slots[plan.slot(v)].residence, plan::Residence::resident);
    EXPECT_LT(plan.arena.places[plan.slot(v)].buffer, plan.arena.resident_buffers);
  }
  EXPECT_FALSE(plan.placed(plan.slot(unused)));
  EXPECT_EQ(plan.nodes[0].placement, Placement::elided);
  EXPECT_THAT(plan.segments[0].downloads, ElementsAre(y));  // the host has the constant
}

TEST(Plan, AParamThatIsWantedIsOnTheHostAlready) {
  ir::Graph graph;
  const Value w = graph.param("w", {DType::f32, {2}});
  const plan::Plan plan = plan::make_plan(graph, {{w}}, testing::h200(), {});
  EXPECT_THAT(plan.captured, ElementsAre(w));
  EXPECT_THAT(plan.segments[0].downloads, IsEmpty());
  EXPECT_FALSE(plan.placed(plan.slot(w)));
}

TEST(Plan, EmptyResultsNeedNoKernel) {
  ir::Graph graph;
  const Value x = graph.input("x", {DType::f32, {0, 3}});
  const Value y = graph.add("y", turn, {x});
  const plan::Plan plan = plan::make_plan(graph, {{y}}, testing::h200(), {});
  EXPECT_EQ(plan.nodes[0].placement, Placement::elided);
  EXPECT_THAT(plan.segments[0].downloads, IsEmpty());
  EXPECT_TRUE(plan.arena.buffers.empty());
}

TEST(Plan, OneOfSeveralResultsMayBeEmpty) {
  ir::Graph graph;
  const Value x = graph.input("x", {DType::f32, {3, 2}});
  const auto parts = graph.add_all("parts", ir::ops::Split{0, {1, 0, 2}}, {x});
  const plan::Plan plan = plan::make_plan(graph, {parts}, testing::h200(), {});
  EXPECT_EQ(plan.nodes[0].placement, Placement::gpu);
  EXPECT_THAT(plan.segments[0].downloads, ElementsAre(parts[0], parts[2]));
}

/// A tensor of 2 MiB on a device that binds 1 MiB cannot run there.
device::DeviceFacts narrow() {
  device::DeviceFacts facts = testing::h200();
  facts.name = "narrow";
  facts.max_buffer_range = 1 << 20;
  return facts;
}

/// small -> big -> small: x is 2 numbers, its neighbours are too large for narrow().
struct Mixed {
  ir::Graph graph;
  Value x, w, a, big, part, b;

  Mixed() {
    x = graph.input("x", {DType::f32, {2, 3}});
    w = graph.param("w", {DType::f32, {1 << 19}});
    a = graph.add("a", turn, {x});
    const Value flat = graph.add("flat", ir::ops::Reshape{{6}}, {a});
    big = graph.add("big", ir::ops::Concat{0}, {flat, w});
    part = graph.add_all("part", ir::ops::Split{0, {6, 1 << 19}}, {big})[0];
    b = graph.add("b", turn, {graph.add("square", ir::ops::Reshape{{2, 3}}, {part})});
  }
};

TEST(Plan, NamesEveryNodeThatNobodyCanRun) {
  const Mixed mixed;
  const auto message = tests::message_of([&] { plan::make_plan(mixed.graph, {{mixed.b}}, narrow(), {}); });
  EXPECT_EQ(message,
            "gpu_vulkan: node 'big' (concat): 'w' f32[524288] has 2097152 bytes, narrow binds at most 1048576\n"
            "gpu_vulkan: node 'part' (split): 'big' f32[524294] has 2097176 bytes, narrow binds at most 1048576");
  EXPECT_THROW(plan::make_plan(mixed.graph, {{mixed.b}}, narrow(), {}), ir::Unsupported);
}

TEST(Plan, LeavesToTheHostWhatTheDeviceCannotRun) {
  const Mixed mixed;
  const Host host;
  const plan::Plan plan = plan::make_plan(mixed.graph, {{mixed.a, mixed.b}}, narrow(), {.host = &host});
  ASSERT_EQ(plan.segments.size(), 2u);
  EXPECT_THAT(plan.segments[0].uploads, ElementsAre(mixed.x));
  EXPECT_EQ(plan.segments[0].end, 1u);
  EXPECT_THAT(plan.segments[0].downloads, ElementsAre(mixed.a, *mixed.graph.find("flat")));
  EXPECT_THAT(plan.segments[0].host_nodes, ElementsAre(2, 3));
  EXPECT_THAT(plan.segments[1].uploads, ElementsAre(mixed.part));
  EXPECT_THAT(plan.segments[1].downloads, ElementsAre(mixed.b));
  EXPECT_EQ(plan.nodes[2].placement, Placement::cpu);
  EXPECT_EQ(plan.nodes[2].kernel, "host");
  EXPECT_THAT(plan.nodes[2].reason, HasSubstr("binds at most 1048576"));
  EXPECT_FALSE(plan.placed(plan.slot(mixed.w)));  // only the host reads it
  EXPECT_FALSE(plan.placed(plan.slot(mixed.big)));
}

TEST(Plan, SaysWhenTheHostHasNoKernelEither) {
  const Chain chain(1, DType::f32, {1 << 10, 1 << 10});
  Host host;
  host.turns = false;
  EXPECT_THAT(tests::message_of([&] { plan::make_plan(chain.graph, {{1}}, narrow(), {.host = &host}); }),
              HasSubstr("; nor has host a kernel"));
}

/// The host's result is captured under another shape: it goes up and comes back.
TEST(Plan, AnAliasOfAHostResultWaitsForTheHost) {
  ir::Graph graph;
  const Value x = graph.input("x", {DType::f32, {1 << 9, 1 << 10}});
  const auto parts = graph.add_all("parts", ir::ops::Split{0, {8, (1 << 9) - 8}}, {x});
  const Value flat = graph.add("flat", ir::ops::Reshape{{-1}}, {parts[0]});
  const Host host;
  const plan::Plan plan = plan::make_plan(graph, {{flat}}, narrow(), {.host = &host});
  ASSERT_EQ(plan.segments.size(), 2u);
  EXPECT_THAT(plan.segments[0].uploads, IsEmpty());
  EXPECT_THAT(plan.segments[1].uploads, ElementsAre(parts[0]));
  EXPECT_THAT(plan.segments[1].downloads, ElementsAre(flat));
}

TEST(Plan, TakesSeveralBuffersUnderASmallLimit) {
  device::DeviceFacts facts = testing::h200();
  facts.max_allocation = 4096;
  const Chain chain(3, DType::f32, {31, 31});  // 3844 bytes each
  const plan::Plan plan = plan::make_plan(chain.graph, {{0, 1, 2, 3}}, facts, {.no_reuse = true});
  EXPECT_EQ(plan.arena.buffers, std::vector<std::size_t>(4, 3844));
}

TEST(Plan, RedZonesSurroundEverySlotAndShareNothing) {
  const Chain chain(3);
  const plan::Plan plan = plan::make_plan(chain.graph, {{3}}, testing::h200(), {.redzone = true});
  EXPECT_EQ(plan.arena.buffers, std::vector<std::size_t>{3 * 576 + 572});
  EXPECT_EQ(plan.arena.places[plan.slot(0)].offset, plan::zone_bytes);
}

TEST(Plan, DebugModesChangeMemoryAndBarriersOnly) {
  const Chain chain(3);
  const plan::Plan own = plan::make_plan(chain.graph, {{3}}, testing::h200(), {.no_reuse = true});
  EXPECT_EQ(own.arena.buffers, std::vector<std::size_t>{3 * 64 + 60});
  const plan::Plan full = plan::make_plan(chain.graph, {{3}}, testing::h200(), {.full_barriers = true});
  EXPECT_EQ(full.barrier_before, std::vector<bool>(3, true));
}

TEST(Plan, FaultsLiveThroughTheRunWhereAKernelMayRaiseThem) {
  ir::Graph graph;
  const Value x = graph.input("x", {DType::f32, {5, 2}}), at = graph.input("at", {DType::i32, {3}});
  const Value y = graph.add("y", ir::ops::Gather{0}, {x, at});
  EXPECT_TRUE([&] {
    const plan::Plan plan = plan::make_plan(graph, {{y}}, testing::h200(), {});
    return plan.placed(plan.faults);
  }());
  const Chain chain(1);
  const plan::Plan without = plan::make_plan(chain.graph, {{1}}, testing::h200(), {});
  EXPECT_FALSE(without.placed(without.faults));
}

TEST(Plan, RefusesWhatExceedsTheDevicesCounts) {
  device::DeviceFacts facts = testing::phone();
  facts.max_push_descriptors = 1;
  const Chain chain(1);
  EXPECT_THAT(tests::message_of([&] { plan::make_plan(chain.graph, {{1}}, facts, {}); }),
              HasSubstr("binds 2 tensors, phone takes 1"));
  facts = testing::phone();
  facts.max_group_count = {1, 1, 1};
  const Chain large(1, DType::f32, {3, 4000});
  EXPECT_THAT(tests::message_of([&] { plan::make_plan(large.graph, {{1}}, facts, {}); }), HasSubstr("phone has 1"));
}

TEST(Plan, IsTheSameEveryTime) {
  const Mixed mixed;
  const Host host;
  const auto text = [&] {
    return plan::to_text(plan::make_plan(mixed.graph, {{mixed.b}}, narrow(), {.host = &host}), mixed.graph);
  };
  EXPECT_EQ(text(), text());
}

TEST(Plan, ItsTextNamesNodesPlacesAndReasons) {
  const Mixed mixed;
  const Host host;
  const auto text = plan::to_text(plan::make_plan(mixed.graph, {{mixed.b}}, narrow(), {.host = &host}), mixed.graph);
  EXPECT_THAT(text, HasSubstr("buffer 0: "));
  EXPECT_THAT(text, HasSubstr("submit 0: 1 dispatches\n  up: x\n  down: flat\n  then on the host: big, part\n"));
  EXPECT_THAT(text, HasSubstr("submit 1: 1 dispatches\n  up: part\n  down: b\n"));
  EXPECT_THAT(text, HasSubstr("  a (transpose): gpu, strided_copy"));
  EXPECT_THAT(text, HasSubstr("  flat (reshape): elided, alias\n"));
  EXPECT_THAT(text, HasSubstr("  big (concat): cpu, host ['w' f32[524288] has 2097152 bytes"));
  EXPECT_THAT(text, HasSubstr(": x -> a = flat\n"));
}

}  // namespace
}  // namespace plumb::gpu_vulkan::plan_test

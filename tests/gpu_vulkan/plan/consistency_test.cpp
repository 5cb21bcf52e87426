#include "gpu_vulkan/plan/consistency.hpp"

#include <gmock/gmock.h>

#include "ir/ops/binary.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/transpose.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::consistency_test {
namespace {

using ir::DType;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Two branches that meet, and a concatenation, which several dispatches write in parts.
struct Branches {
  ir::Graph graph;

  Branches() {
    const ir::Value x = graph.input("x", {DType::f32, {33, 7}});
    const ir::Value w = graph.param("w", {DType::f32, {33, 7}});
    const ir::Value a = graph.add("a", ir::ops::Binary{ir::ops::BinaryFunction::add}, {x, w});
    const ir::Value b = graph.add("b", ir::ops::Softmax{.axis = 1}, {x});
    const ir::Value c = graph.add("c", ir::ops::Binary{ir::ops::BinaryFunction::multiply}, {a, b});
    const ir::Value d = graph.add("d", ir::ops::Concat{.axis = 0}, {c, b});
    graph.returns(graph.add("y", ir::ops::Transpose{{1, 0}}, {d}));
  }

  plan::Plan plan(const plan::PlanOptions& options = {}) const {
    return plan::make_plan(graph, {graph.results()}, testing::h200(), options);
  }

  std::string breach(const plan::Plan& broken) const {
    return tests::message_of([&] { plan::require_consistent(broken, graph, testing::h200()); });
  }
};

TEST(Consistency, PlansAsTheyAreMadeHold) {
  const Branches branches;
  for (const plan::PlanOptions& options :
       {plan::PlanOptions{}, plan::PlanOptions{.redzone = true}, plan::PlanOptions{.no_reuse = true},
        plan::PlanOptions{.full_barriers = true}})
    EXPECT_NO_THROW(plan::require_consistent(branches.plan(options), branches.graph, testing::h200()));
}

TEST(Consistency, EachBarrierThatAPlanHasIsNeeded) {
  const Branches branches;
  const plan::Plan plan = branches.plan();
  int barriers = 0;
  for (std::size_t d = 0; d < plan.barrier_before.size(); ++d) {
    if (!plan.barrier_before[d]) continue;
    plan::Plan broken = plan;
    broken.barrier_before[d] = false;
    EXPECT_THAT(branches.breach(broken), HasSubstr("no barrier is between it and one that")) << d;
    ++barriers;
  }
  EXPECT_GE(barriers, 3);
}

TEST(Consistency, SaysWhereABarrierIsMissing) {
  const Branches branches;
  plan::Plan plan = branches.plan({.no_reuse = true});
  plan.barrier_before.assign(plan.barrier_before.size(), false);
  EXPECT_THAT(branches.breach(plan), StartsWith("gpu_vulkan: the plan is wrong: dispatch 2 (binary"));
  EXPECT_THAT(branches.breach(plan),
              HasSubstr("of node 'c' (binary) reads 'a', and no barrier is between it and one that wrote it"));
}

TEST(Consistency, WhatSharesBytesIsNotWrittenWhileTheyAreWanted) {
  const Branches branches;
  plan::Plan plan = branches.plan({.no_reuse = true, .full_barriers = true});
  const ir::Value a = 2, b = 3;
  ASSERT_EQ(branches.graph.name(a), "a");
  plan.arena.places[plan.slot(b)] = plan.arena.places[plan.slot(a)];
  EXPECT_THAT(branches.breach(plan), HasSubstr("reads 'a', over which 'b' of node 'b' (softmax) was written"));
  plan = branches.plan({.no_reuse = true, .full_barriers = true});
  constexpr std::size_t last_place = 33 * 7 * 4 / 16 * 16;  // the last that can be bound inside of it
  plan.arena.places[plan.slot(b)].offset = plan.arena.places[plan.slot(a)].offset + last_place;
  EXPECT_THAT(branches.breach(plan), HasSubstr("reads 'a', over which 'b' of node 'b' (softmax) was written"));
}

TEST(Consistency, NoDispatchWritesWhereItReads) {
  const Branches branches;
  plan::Plan plan = branches.plan({.no_reuse = true, .full_barriers = true});
  plan.arena.places[plan.slot(4)] = plan.arena.places[plan.slot(3)];
  EXPECT_THAT(branches.breach(plan), HasSubstr("writes 'c' where 'b' lies, which it binds too"));
}

TEST(Consistency, WhatIsReadWasFilled) {
  const Branches branches;
  plan::Plan plan = branches.plan();
  plan.segments[0].uploads.clear();
  EXPECT_THAT(branches.breach(plan), HasSubstr("reads 'x', which nothing has filled"));
  plan = branches.plan();
  plan.segments[0].downloads = {branches.graph.results()[0], 2};
  EXPECT_THAT(branches.breach(plan), HasSubstr("the host reads 'a' of node 'a' (binary), over which"));
}

TEST(Consistency, SlotsLieInTheirBuffers) {
  const Branches branches;
  plan::Plan plan = branches.plan();
  plan.arena.buffers.back() -= 4;
  EXPECT_THAT(branches.breach(plan), HasSubstr("lies beyond its buffer"));
  plan = branches.plan();
  plan.arena.places[plan.slot(2)] = plan.arena.places[plan.slot(1)];
  EXPECT_THAT(branches.breach(plan), HasSubstr("'a' of node 'a' (binary) lies among slots that live otherwise"));
}

TEST(Consistency, SlotsLieWhereTheDeviceCanBindThem) {
  const Branches branches;
  const ir::Value a = 2;
  const plan::Plan plan = branches.plan({.no_reuse = true});
  for (const std::uint64_t alignment : {1, 4, 16, 64, 256}) {
    device::DeviceFacts facts = testing::h200();
    facts.offset_alignment = alignment;
    const plan::Plan aligned = plan::make_plan(branches.graph, {branches.graph.results()}, facts, {});
    EXPECT_NO_THROW(plan::require_consistent(aligned, branches.graph, facts)) << alignment;
  }
  for (const std::size_t off : {1, 4, 8, 32}) {
    plan::Plan broken = plan;
    broken.arena.places[broken.slot(a)].offset += off;
    for (std::size_t& bytes : broken.arena.buffers) bytes += off;
    device::DeviceFacts facts = testing::h200();
    facts.offset_alignment = 2 * off;
    EXPECT_THAT(tests::message_of([&] { plan::require_consistent(broken, branches.graph, facts); }),
                AllOf(HasSubstr("'a' of node 'a' (binary) lies at byte "),
                      HasSubstr(ir::cat("not at a multiple of ", std::max<std::size_t>(16, 2 * off)))))
        << off;
  }
}

TEST(Consistency, EveryDispatchIsInAPart) {
  const Branches branches;
  plan::Plan plan = branches.plan();
  plan.segments.back().end -= 1;
  plan.segments.back().downloads.clear();
  EXPECT_THAT(branches.breach(plan), HasSubstr("no part of the plan has dispatch"));
}

}  // namespace
}  // namespace plumb::gpu_vulkan::consistency_test

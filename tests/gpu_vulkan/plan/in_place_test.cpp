#include "gpu_vulkan/plan/in_place.hpp"

#include <gmock/gmock.h>

#include "gpu_vulkan/plan/consistency.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/reshape.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/support/cases/updated_operands.hpp"

namespace plumb::gpu_vulkan::in_place_test {
namespace {

using ir::DType;
using ir::Value;
using plumb::testing::indices_of;
using plumb::testing::UpdatedGraph;
using plumb::testing::UpdatedOperand;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Values = std::vector<Value>;

plan::Plan planned(const ir::Graph& graph, const Values& wanted, const plan::PlanOptions& options = {}) {
  plan::Plan plan = plan::make_plan(graph, {wanted}, testing::h200(), options);
  plan::require_consistent(plan, graph, testing::h200());
  return plan;
}

std::string reason(const plan::Plan& plan, const ir::Graph& graph, Value value) {
  return plan.nodes.at(graph.producer(value).value()).reason;
}

/// Whether a dispatch of the node that makes the value copies its operand.
bool copies(const plan::Plan& plan, const ir::Graph& graph, Value value) {
  return std::ranges::any_of(plan.schedule.dispatches, [&](const plan::Dispatch& dispatch) {
    return dispatch.node == graph.producer(value) && dispatch.shader.name.starts_with("strided_");
  });
}

void expect_in_place(const plan::Plan& plan, const ir::Graph& graph, Value operand, Value result) {
  EXPECT_EQ(plan.slot(operand), plan.slot(result));
  EXPECT_FALSE(copies(plan, graph, result));
  EXPECT_EQ(reason(plan, graph, result), "in place");
}

void expect_copied(const plan::Plan& plan, const ir::Graph& graph, Value operand, Value result, const char* why) {
  EXPECT_NE(plan.slot(operand), plan.slot(result));
  EXPECT_TRUE(copies(plan, graph, result));
  EXPECT_EQ(reason(plan, graph, result), why);
}

/// Those that write anything: others are aliases.
std::vector<UpdatedOperand> that_write() {
  auto all = plumb::testing::updated_operands();
  std::erase_if(all, [](const UpdatedOperand& one) { return one.name.starts_with("no_") || one.name == "box_of_all"; });
  return all;
}

class InPlace : public ::testing::TestWithParam<UpdatedOperand> {};

TEST_P(InPlace, IsAnInputAndWhatARunComputed) {
  UpdatedGraph of_input(GetParam());
  const Value y = of_input.updated(of_input.x);
  expect_in_place(planned(of_input.graph, {y}), of_input.graph, of_input.x, y);
  UpdatedGraph of_computed(GetParam());
  const Value h = of_computed.computed(), z = of_computed.updated(h);
  expect_in_place(planned(of_computed.graph, {z}), of_computed.graph, h, z);
}

TEST_P(InPlace, IsNoParamNorWhatIsWanted) {
  UpdatedGraph of_param(GetParam(), UpdatedGraph::Source::param);
  const Value y = of_param.updated(of_param.x);
  expect_copied(planned(of_param.graph, {y}), of_param.graph, of_param.x, y, "copy: 'x' is uploaded once for all runs");
  UpdatedGraph wanted(GetParam());
  const Value h = wanted.computed(), z = wanted.updated(h);
  expect_copied(planned(wanted.graph, {h, z}), wanted.graph, h, z, "copy: 'h' is wanted");
}

TEST_P(InPlace, IsNothingThatIsReadLater) {
  UpdatedGraph later(GetParam());
  const Value h = later.computed(), y = later.updated(h), z = later.graph.add("z", ir::ops::Reverse{{0}}, {h});
  expect_copied(planned(later.graph, {y, z}), later.graph, h, y, "copy: node 'z' reads 'h' later");
  expect_in_place(planned(later.graph, {y}), later.graph, h, y);  // nobody wants z
  if (GetParam().x.shape.elements() == 1) return;                 // b would lie where x does
  UpdatedGraph before(GetParam());
  const Value x = before.x, b = before.graph.add("b", ir::ops::Reverse{{0}}, {x}), a = before.updated(x);
  expect_in_place(planned(before.graph, {a, b}), before.graph, x, a);
}

TEST_P(InPlace, IsNoFormOfWhatIsReadLater) {
  const ir::ops::Reshape flat{{-1}}, back{GetParam().x.shape};
  UpdatedGraph wanted(GetParam());
  const Value h = wanted.computed(), r = wanted.graph.add("r", flat, {h}), y = wanted.updated(h);
  expect_copied(planned(wanted.graph, {r, y}), wanted.graph, h, y, "copy: 'r' is wanted");
  UpdatedGraph later(GetParam());
  const Value g = later.computed(), s = later.graph.add("s", flat, {g});
  const Value again = later.graph.add("again", back, {s}), z = later.updated(again);
  const Value reader = later.graph.add("reader", ir::ops::Reverse{{0}}, {s});
  expect_copied(planned(later.graph, {z, reader}), later.graph, again, z, "copy: node 'reader' reads 's' later");
  expect_in_place(planned(later.graph, {z}), later.graph, g, z);  // behind two reshapes
}

TEST_P(InPlace, IsNothingWithoutSharedMemoryOrWhereItIsTurnedOff) {
  UpdatedGraph made(GetParam());
  const Value y = made.updated(made.x);
  for (const plan::PlanOptions& options :
       {plan::PlanOptions{.redzone = true}, plan::PlanOptions{.no_reuse = true}, plan::PlanOptions{.in_place = false}})
    expect_copied(planned(made.graph, {y}, options), made.graph, made.x, y, "");
  expect_in_place(planned(made.graph, {y}, {.full_barriers = true}), made.graph, made.x, y);
}

TEST_P(InPlace, ReachesThroughAChain) {
  UpdatedGraph made(GetParam());
  const Value h = made.computed(), a = made.updated(h, "a"), b = made.updated(a, "b"), c = made.updated(b, "c");
  const plan::Plan plan = planned(made.graph, {c});
  for (const auto& [from, to] : {std::pair(h, a), std::pair(a, b), std::pair(b, c)})
    expect_in_place(plan, made.graph, from, to);
  const plan::Plan middle = planned(made.graph, {b, c});
  expect_in_place(middle, made.graph, a, b);
  expect_copied(middle, made.graph, b, c, "copy: 'b' is wanted");
}

INSTANTIATE_TEST_SUITE_P(, InPlace, ::testing::ValuesIn(that_write()),
                         [](const auto& test) { return test.param.name; });

TEST(InPlaceOperands, AreNotTwoOfOneNode) {
  const UpdatedOperand rows{"", ir::ops::TensorScatter{.axis = 1}, {DType::f32, {2, 3, 4}}, {}};
  UpdatedGraph made(rows);
  const Value h = made.computed();
  const Value twice = made.graph.add("twice", rows.op, {h, h});
  expect_copied(planned(made.graph, {twice}), made.graph, h, twice, "copy: 'h' is operand 1 too");
  UpdatedGraph reshaped(rows);
  const Value g = reshaped.computed(), r = reshaped.graph.add("r", ir::ops::Reshape{{2, 3, 4}}, {g});
  const Value y = reshaped.graph.add("y", rows.op, {g, r});
  expect_copied(planned(reshaped.graph, {y}), reshaped.graph, g, y, "copy: 'h' is operand 1 too");
}

TEST(InPlaceOperands, AreNoConstants) {
  const UpdatedOperand rows{
      "", ir::ops::TensorScatter{.axis = 1}, {DType::f32, {1, 3}}, {tests::noise({DType::f32, {1, 1}})}};
  UpdatedGraph made(rows);
  const Value k = made.graph.add("k", ir::ops::Constant{DType::f32, {1, 3}, ir::Bytes(12)}, {});
  const Value shaped = made.graph.add("shaped", ir::ops::Reshape{{1, 3}}, {k}), y = made.updated(shaped);
  expect_copied(planned(made.graph, {y}), made.graph, shaped, y, "copy: 'shaped' is uploaded once for all runs");
}

TEST(InPlaceOperands, HaveFewStartsToCheck) {
  const auto of = [](std::int64_t batch, ir::ops::TensorScatterMode mode) {
    const std::vector<std::int64_t> starts(static_cast<std::size_t>(batch));
    return UpdatedOperand{"",
                          ir::ops::TensorScatter{.axis = 1, .mode = mode, .has_write_indices = true},
                          {DType::u8, {batch, 2}},
                          {tests::noise({DType::u8, {batch, 1}}), indices_of({batch}, starts)}};
  };
  using enum ir::ops::TensorScatterMode;
  for (const auto& [batch, mode] : {std::pair(std::int64_t{4096}, linear), std::pair(std::int64_t{4097}, circular)}) {
    const UpdatedOperand rows = of(batch, mode);
    UpdatedGraph made(rows);
    const Value y = made.updated(made.x);
    expect_in_place(planned(made.graph, {y}), made.graph, made.x, y);
  }
  const UpdatedOperand rows = of(4097, linear);
  UpdatedGraph made(rows);
  const Value y = made.updated(made.x);
  expect_copied(planned(made.graph, {y}), made.graph, made.x, y,
                "copy: there are more than 4096 write_indices to check");
}

/// A plan in which y is written over h, whoever reads h.
struct Planted {
  UpdatedOperand update = plumb::testing::updated_operands().front();
  UpdatedGraph made{update};
  Value h = made.computed(), y = made.updated(h), z = made.graph.add("z", ir::ops::Reverse{{0}}, {h});
  plan::Plan plan;

  explicit Planted(const Values& wanted) : plan(planned(made.graph, wanted, {.full_barriers = true})) {
    auto& dispatches = plan.schedule.dispatches;
    for (plan::Dispatch& dispatch : dispatches) {
      if (dispatch.node != made.graph.producer(y)) continue;
      for (auto* list : {&dispatch.reads, &dispatch.writes}) std::ranges::replace(*list, plan.slot(y), plan.slot(h));
    }
    const auto copy = std::ranges::find_if(dispatches, [&](const plan::Dispatch& one) {
      return one.node == made.graph.producer(y) && one.shader.name.starts_with("strided_copy");
    });
    if (copy != dispatches.end()) {
      dispatches.erase(copy);
      plan.barrier_before.pop_back();
      plan.segments.back().end -= 1;
    }
    plan.slots[y] = plan.slot(h);
  }

  std::string breach() const {
    return tests::message_of([&] { plan::require_consistent(plan, made.graph, testing::h200()); });
  }
};

TEST(InPlaceConsistency, RefusesReadersOfWhatWasWrittenOver) {
  const Planted later({4, 5});
  ASSERT_EQ(later.y, 4u);
  ASSERT_EQ(later.z, 5u);
  EXPECT_THAT(later.breach(), StartsWith("gpu_vulkan: the plan is wrong: dispatch 2"));
  EXPECT_THAT(later.breach(), HasSubstr("of node 'z' (reverse) reads 'h', over which 'y' was written in place"));
  EXPECT_EQ(Planted({4}).breach(), "");
  EXPECT_THAT(Planted({3, 4}).breach(), HasSubstr("the host reads 'h', over which 'y' was written in place"));
}

TEST(InPlaceConsistency, RefusesAnOperandThatNothingFilled) {
  UpdatedOperand update = plumb::testing::updated_operands().front();
  UpdatedGraph made(update);
  const Value y = made.updated(made.x);
  plan::Plan plan = planned(made.graph, {y});
  EXPECT_THAT(plan.segments.at(0).uploads, ::testing::Contains(made.x));
  std::erase(plan.segments[0].uploads, made.x);
  EXPECT_THAT(tests::message_of([&] { plan::require_consistent(plan, made.graph, testing::h200()); }),
              HasSubstr("writes more of 'x', which nothing has filled"));
}

TEST(InPlaceConsistency, RefusesAWriteOverWhatIsNoResult) {
  Planted planted({4, 5});
  planted.plan.slots[planted.y] = planted.plan.slot(planted.z);
  EXPECT_THAT(planted.breach(), HasSubstr("writes 'h', which is no result of its node"));
}

}  // namespace
}  // namespace plumb::gpu_vulkan::in_place_test

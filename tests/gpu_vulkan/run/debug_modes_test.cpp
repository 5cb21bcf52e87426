// Findings of the debug modes. The kernels are right, so a plan is broken on purpose.
#include <gmock/gmock.h>

#include <cmath>

#include "ir/ops/classify.hpp"
#include "ir/ops/transpose.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::debug_modes_test {
namespace {

using ir::DType;
using ir::Value;
using testing::executor_with;
using tests::message_of;

/// x -> h -> y, transposes of 61 x 67 numbers.
class Broken : public testing::OnDevice {
 protected:
  ir::Graph graph;
  Value x, h, y;
  ir::Feeds feeds;

  Broken() {
    x = graph.input("x", {DType::f32, {61, 67}});
    h = graph.add("h", ir::ops::Transpose{{1, 0}}, {x});
    y = graph.add("y", ir::ops::Transpose{{1, 0}}, {h});
    ir::Tensor ones(graph.type(x));
    std::ranges::fill(ones.as<float>(), 1.0f);
    feeds.emplace("x", std::move(ones));
  }

  template <class Change>
  ir::Tensors run(Change change, const std::function<void(plan::Plan&)>& breakage) {
    const auto gpu = executor_with([&](device::VulkanOptions& options) {
      change(options);
      options.on_plan = breakage;
    });
    return gpu->run(graph, feeds, {y});
  }

  std::size_t nans(const ir::Tensors& results) const {
    std::size_t count = 0;
    for (const float value : results.at(y).as<float>()) count += std::isnan(value) ? 1 : 0;
    return count;
  }
};

TEST_F(Broken, PoisonShowsElementsThatNoKernelWrote) {
  const auto one_group_less = [](plan::Plan& plan) {
    auto& groups = plan.schedule.dispatches.at(1).groups;
    *std::ranges::max_element(groups) -= 1;
  };
  const auto poison = [](bool on) { return [on](device::VulkanOptions& options) { options.poison = on; }; };
  EXPECT_EQ(nans(run(poison(true), [](plan::Plan&) {})), 0u);
  EXPECT_GT(nans(run(poison(true), one_group_less)), 0u);
  EXPECT_EQ(nans(run(poison(false), one_group_less)), 0u);  // which is why there is poison
}

/// Its second node reads x in place of h. On ones nobody sees that, and all that it reads is there.
TEST_F(Broken, LifetimesShowWhoReadsATensorBehindItsLastReader) {
  const auto reads_x = [this](plan::Plan& plan) { plan.schedule.dispatches.at(1).reads.at(0) = plan.slot(x); };
  const auto ending = [](bool on) {
    return [on](device::VulkanOptions& options) {
      options.lifetimes = on;
      options.no_reuse = true;  // else y lies where x did
    };
  };
  EXPECT_EQ(nans(run(ending(true), [](plan::Plan&) {})), 0u);
  EXPECT_EQ(nans(run(ending(true), reads_x)), 61u * 67u);
  EXPECT_EQ(nans(run(ending(false), reads_x)), 0u);
}

/// Without a mark memory that nobody wrote is often 0, which is `false`.
TEST_F(Broken, MarkedBoolsShowThatNoKernelWroteThem) {
  const Value guard = graph.add("guard", ir::ops::Classify{ir::ops::FloatClass::is_nan}, {y});
  const auto run_marked = [&](const std::function<void(plan::Plan&)>& breakage) {
    const auto gpu = executor_with([&](device::VulkanOptions& options) { options.on_plan = breakage; });
    const auto executable = gpu->compile(graph, feeds, {.wanted = {guard}, .marks_bools = true});
    EXPECT_TRUE(executable->nodes().back().marked_bools);
    return executable->run(feeds);
  };
  const auto is = [&](const ir::Tensors& results, std::byte every) {
    return std::ranges::all_of(results.at(guard).bytes(), [&](std::byte one) { return one == every; });
  };
  EXPECT_TRUE(is(run_marked([](plan::Plan&) {}), std::byte{0}));
  EXPECT_TRUE(is(run_marked([](plan::Plan& plan) {
                   plan.schedule.dispatches.back().groups = {0, 0, 0};
                 }),
                 std::byte{0xFF}));
}

const auto zones = [](device::VulkanOptions& options) { options.redzone = true; };

TEST_F(Broken, RedZonesCatchAWriteBehindATensor) {
  const auto shorter = [](plan::Plan& plan) { plan.schedule.slots[plan.slots.back()].bytes -= 8; };
  // The tensor's own last element is in the zone now, as far as the executor knows.
  EXPECT_EQ(message_of([&] { run(zones, shorter); }),
            "a kernel wrote into the red zone of 'y' f32[61, 67] (transpose), 1 bytes behind it");
  EXPECT_EQ(message_of([&] { run(zones, [](plan::Plan&) {}); }), "");
}

TEST_F(Broken, RedZonesCatchAWriteBeforeATensor) {
  // h takes the last place but one, so that it ends 36 bytes before x, which takes the last.
  const auto moved = [this](plan::Plan& plan) {
    auto& places = plan.arena.places;
    std::swap(places[plan.slot(x)], places[plan.slot(y)]);
    const plan::Place& at = places[plan.slot(x)];
    places[plan.slot(h)] = {at.buffer, at.offset - 16384};  // it has 16348 bytes
  };
  EXPECT_EQ(message_of([&] { run(zones, moved); }),
            "a kernel wrote into the red zone of 'x' f32[61, 67], 37 bytes before it");
}

}  // namespace
}  // namespace plumb::gpu_vulkan::debug_modes_test

#include <gmock/gmock.h>

#include "gpu_vulkan/runtime/driver/instance.hpp"
#include "ir/ops/transpose.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::validation_test {
namespace {

using ::testing::AllOf;
using testing::executor_with;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tests::message_of;

/// Objects that were not destroyed are reported when a device goes, where nobody can throw.
class NoLateMessages : public ::testing::Environment {
  void TearDown() override { EXPECT_THAT(runtime::driver::Instance::late_messages(), IsEmpty()); }
};
[[maybe_unused]] const auto* const registered = ::testing::AddGlobalTestEnvironment(new NoLateMessages);

class Validation : public testing::OnDevice {
 protected:
  std::unique_ptr<VulkanExecutor> executor;
  ir::Graph graph;
  ir::Value y = 0;
  ir::Feeds feeds;

  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    try {
      executor = executor_with([](device::VulkanOptions& options) { options.validation = true; });
    } catch (const ir::Unsupported& error) {
      GTEST_SKIP() << error.what();
    }
    const ir::Value x = graph.input("x", {ir::DType::f32, {64, 33}});
    y = graph.add("y", ir::ops::Transpose{{1, 0}}, {graph.add("h", ir::ops::Transpose{{1, 0}}, {x})});
    feeds.emplace("x", ir::Tensor(graph.type(x)));
  }

  std::string message_after(const std::function<void(plan::Plan&)>& breakage) {
    executor = executor_with([&](device::VulkanOptions& options) {
      options.validation = true;
      options.on_plan = breakage;
    });
    return message_of([&] { executor->run(graph, feeds, {y}); });
  }
};

TEST_F(Validation, IsSilentOnARightPlan) {
  EXPECT_EQ(message_after([](plan::Plan&) {}), "");
  EXPECT_THAT(executor->validation_messages(), IsEmpty());
}

TEST_F(Validation, AMissingBarrierIsAnErrorBeforeTheLayersSeeIt) {
  const auto message = message_after([](plan::Plan& plan) { plan.barrier_before.at(1) = false; });
  EXPECT_THAT(message, HasSubstr("reads 'h', and no barrier is between it and one that wrote it"));
}

TEST_F(Validation, ADispatchBeyondTheLimitsIsAnError) {
  EXPECT_THAT(message_after([](plan::Plan& plan) { plan.schedule.dispatches.at(0).groups[1] = 0xFFFFFFFF; }),
              AllOf(HasSubstr("Vulkan validation:"), HasSubstr("vkCmdDispatch")));
}

}  // namespace
}  // namespace plumb::gpu_vulkan::validation_test

// No driver, no memory, no answer: what the executor says then.
#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>

#include "gpu_vulkan/runtime/driver/result.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/transpose.hpp"
#include "ir/residency.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::failures_test {
namespace {

using ir::DType;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using testing::executor_with;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tests::message_of;

/// An environment variable for the length of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~Variable() {
    if (old_)
      setenv(name_, old_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(Failures, ResultsAreNamed) {
  EXPECT_EQ(runtime::driver::result_name(VK_ERROR_DEVICE_LOST), "VK_ERROR_DEVICE_LOST");
  EXPECT_EQ(runtime::driver::result_name(static_cast<VkResult>(-12345)), "VkResult -12345");
  EXPECT_EQ(message_of([] {
              runtime::driver::check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkAllocateMemory", " for ", 17, " bytes");
            }),
            "vkAllocateMemory returned VK_ERROR_OUT_OF_DEVICE_MEMORY for 17 bytes");
  EXPECT_THROW(runtime::driver::check(VK_TIMEOUT, "vkWaitSemaphores"), ir::DeviceError);
}

TEST(Failures, NoDriverIsUnsupportedAndSaysWhatToInstall) {
  const Variable files("VK_DRIVER_FILES", "/nonexistent.json"), icds("VK_ICD_FILENAMES", "/nonexistent.json");
  EXPECT_THROW(VulkanExecutor(device::VulkanOptions{}), ir::Unsupported);
  EXPECT_THROW(list_devices(), ir::Unsupported);
  EXPECT_THAT(message_of([] { VulkanExecutor gpu{device::VulkanOptions{}}; }),
              AllOf(StartsWith("no driver: vkCreateInstance returned VK_ERROR_INCOMPATIBLE_DRIVER"),
                    HasSubstr("mesa-vulkan-drivers")));
}

class FailuresOnDevice : public testing::OnDevice {};

TEST_F(FailuresOnDevice, DevicesAreListedWithTheirFacts) {
  const auto devices = list_devices();
  ASSERT_FALSE(devices.empty());
  for (const auto& [facts, refusal] : devices) {
    EXPECT_FALSE(facts.name.empty());
    if (!refusal.empty()) continue;
    EXPECT_FALSE(facts.driver_name.empty());
    EXPECT_GT(facts.max_buffer_range, 0u);
    EXPECT_GT(facts.max_allocation, 0u);
    EXPECT_GT(facts.device_heap, 0u);
    EXPECT_GT(facts.subgroup_size, 0u);
    EXPECT_GE(facts.max_push_bytes, 128u);
    EXPECT_GE(facts.max_push_descriptors, 32u);
    EXPECT_GE(facts.max_group_count[0], 65535u);
  }
}

TEST_F(FailuresOnDevice, NoMemoryIsADeviceErrorThatNamesTheSize) {
  const auto gpu = executor_with([](device::VulkanOptions& options) {
    options.validation = false;
    options.on_plan = [](plan::Plan& plan) { plan.arena.buffers.back() = std::size_t{1} << 50; };
  });
  ir::Graph graph;
  const auto x = graph.input("x", {DType::f32, {2, 2}});
  const auto y = graph.add("y", ir::ops::Transpose{{1, 0}}, {x});
  EXPECT_THROW(gpu->compile(graph, {}, {{y}}), ir::DeviceError);
  EXPECT_THAT(message_of([&] { gpu->compile(graph, {}, {{y}}); }),
              ContainsRegex("returned VK_ERROR_OUT_OF_.*_MEMORY for 1125899906842624 bytes"));
  EXPECT_THAT(message_of([&] { gpu->compile(graph, {}, {{y}}); }), Not(HasSubstr("was lost")));
}

TEST_F(FailuresOnDevice, NoMemoryNamesWhoHoldsIt) {
  bool is_too_much = false;
  const auto gpu = executor_with([&](device::VulkanOptions& options) {
    options.validation = false;
    options.on_plan = [&](plan::Plan& plan) {
      if (is_too_much) plan.arena.buffers.back() = std::size_t{1} << 50;
    };
  });
  ir::Graph graph;
  const auto x = graph.input("x", {DType::f32, {2, 2}}), w = graph.input("w", {DType::f32, {2, 2}});
  const auto y = graph.add("y", ir::ops::Matmul{}, {x, w});
  const auto message = [&] {
    is_too_much = true;
    const std::string said = message_of([&] { gpu->compile(graph, {}, {{y}}); });
    is_too_much = false;
    return said;
  };
  const auto nothing = "held: executables 0 bytes, params 0 bytes, contexts 0 bytes, buffers 0 bytes, transfers ";
  EXPECT_THAT(message(), HasSubstr(nothing));
  {
    const ir::Buffer buffer = gpu->allocate({DType::f32, {1024}});
    const auto held = gpu->hold({{"p", ir::Tensor(ir::TensorType{DType::f32, {2048}})}});
    const auto executable = gpu->compile(graph, {}, {{y}});
    const ir::Feeds feeds = {{"x", ir::Tensor(graph.type(x))}, {"w", ir::Tensor(graph.type(w))}};
    executable->run(feeds);
    const auto context = executable->context();
    context->submit(feeds).get();
    EXPECT_THAT(message(), ContainsRegex("held: executables [1-9][0-9]* bytes, params 8192 bytes, "
                                         "contexts [1-9][0-9]* bytes, buffers 4096 bytes"));
  }
  EXPECT_THAT(message(), HasSubstr(nothing)) << "what is gone holds nothing";
}

TEST_F(FailuresOnDevice, ADeviceThatDoesNotAnswerIsLost) {
  auto gpu = executor_with([](device::VulkanOptions& options) { options.timeout = 1e-6; });
  ir::Graph graph;
  const auto a = graph.input("a", {DType::f32, {512, 512}});
  const auto y = graph.add("y", ir::ops::Matmul{}, {a, a});
  const ir::Feeds feeds = {{"a", ir::Tensor(graph.type(a))}};
  const auto executable = gpu->compile(graph, {}, {{y}});
  EXPECT_THAT(message_of([&] { executable->run(feeds); }),
              StartsWith("vkWaitSemaphores returned VK_TIMEOUT after 1e-06 s"));
  EXPECT_THROW(executable->run(feeds), ir::DeviceError);
  EXPECT_THAT(message_of([&] { gpu->compile(graph, {}, {{y}}); }), HasSubstr(" was lost before: vkWaitSemaphores"));
}

TEST_F(FailuresOnDevice, EveryFenceOfALostDeviceEnds) {
  auto gpu = executor_with([](device::VulkanOptions& options) { options.timeout = 1e-6; });
  ir::Graph graph;
  const auto a = graph.input("a", {DType::f32, {512, 512}});
  const auto y = graph.add("y", ir::ops::Matmul{}, {a, a});
  const ir::Feeds feeds = {{"a", ir::Tensor(graph.type(a))}};
  const auto executable = gpu->compile(graph, {}, {{y}});
  const auto first = executable->context(), second = executable->context();
  const ir::Fence fences[] = {first->submit(feeds), second->submit(feeds)};
  const std::string said = message_of([&] { fences[0].get(); });
  if (said.empty() && gpu->facts().kind != device::DeviceKind::software)
    GTEST_SKIP() << "this device ends the run before anybody waits for it";
  EXPECT_EQ(said, "a run did not end in 1e-06 s");
  for (const ir::Fence& fence : fences)
    EXPECT_THAT(message_of([&] { fence.get(); }), AnyOf("", "a run did not end in 1e-06 s"));
  EXPECT_THAT(message_of([&] { first->submit(feeds); }), HasSubstr("a run did not end"));
}

TEST_F(FailuresOnDevice, StepModeNamesTheDispatchThatFailed) {
  ir::Graph graph;
  const auto a = graph.param("a", {DType::f32, {512, 512}});
  const auto y = graph.add("y", ir::ops::Matmul{}, {a, a});
  const ir::Feeds feeds = {{"a", ir::Tensor(graph.type(a))}};
  const auto gpu = executor_with([](device::VulkanOptions& options) {
    options.timeout = 1e-6;
    options.step = true;
  });
  EXPECT_THAT(message_of([&] { gpu->compile(graph, feeds, {{y}})->run({}); }),
              ContainsRegex("vkWaitSemaphores returned VK_TIMEOUT after 1e-06 s: dispatch 0 .matmul.*. of node 'y' "
                            ".matmul. was not seen to end"));
}

}  // namespace
}  // namespace plumb::gpu_vulkan::failures_test

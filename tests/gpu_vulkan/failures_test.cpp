// No driver, no memory, no answer: what the executor says then.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "gpu_vulkan/devices.hpp"
#include "gpu_vulkan/runtime/result.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/transpose.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/support/run_node.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::DType;
using ::testing::AllOf;
using testing::executor_with;
using ::testing::HasSubstr;
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
  EXPECT_EQ(result_name(VK_ERROR_DEVICE_LOST), "VK_ERROR_DEVICE_LOST");
  EXPECT_EQ(result_name(static_cast<VkResult>(-12345)), "VkResult -12345");
  EXPECT_EQ(message_of([] { check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkAllocateMemory", " for ", 17, " bytes"); }),
            "vkAllocateMemory returned VK_ERROR_OUT_OF_DEVICE_MEMORY for 17 bytes");
  EXPECT_THROW(check(VK_TIMEOUT, "vkWaitSemaphores"), ir::DeviceError);
}

TEST(Failures, NoDriverIsUnsupportedAndSaysWhatToInstall) {
  const Variable files("VK_DRIVER_FILES", "/nonexistent.json"), icds("VK_ICD_FILENAMES", "/nonexistent.json");
  EXPECT_THROW(VulkanExecutor(VulkanOptions{}), ir::Unsupported);
  EXPECT_THROW(list_devices(), ir::Unsupported);
  EXPECT_THAT(
      message_of([] { VulkanExecutor gpu{VulkanOptions{}}; }),
      AllOf(StartsWith("vkCreateInstance returned VK_ERROR_INCOMPATIBLE_DRIVER"), HasSubstr("mesa-vulkan-drivers")));
}

class FailuresOnDevice : public testing::OnDevice {};

TEST_F(FailuresOnDevice, ADriverThatIsTooOldIsRefused) {
  const Variable version("MESA_VK_VERSION_OVERRIDE", "1.2");  // Mesa's drivers only
  const auto devices = list_devices();
  if (devices.at(0).facts.api_version >= VK_API_VERSION_1_3) GTEST_SKIP() << "not one of Mesa's";
  EXPECT_THAT(devices[0].refusal, AllOf(StartsWith("offers Vulkan 1.2"), HasSubstr("wanted 1.3")));
  EXPECT_THAT(message_of([] { testing::any_executor(); }), HasSubstr("offers Vulkan 1.2"));
}

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

/// Ends the process: 3, with the message, for a DeviceError.
[[noreturn]] void compile_with_little_memory(VulkanExecutor& gpu, const ir::Graph& graph, ir::Value wanted) {
  const rlimit little{std::size_t{16} << 20, std::size_t{16} << 20};
  setrlimit(RLIMIT_AS, &little);  // less than there is in use already
  try {
    gpu.compile(graph, {}, {{wanted}});
  } catch (const ir::DeviceError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    _exit(3);
  }
  _exit(0);
}

TEST_F(FailuresOnDevice, NoMemoryIsADeviceErrorThatNamesTheSize) {
  const auto gpu = executor_with([](VulkanOptions& options) { options.validation = false; });
  if (gpu->facts().kind != DeviceKind::software) GTEST_SKIP() << "its memory is not the process's";
  ir::Graph graph;
  const auto x = graph.input("x", {DType::f32, {1 << 12, 1 << 12}});  // 64 MiB
  const auto y = graph.add("y", ir::ops::Transpose{{1, 0}}, {x});
  EXPECT_EXIT(compile_with_little_memory(*gpu, graph, y), ::testing::ExitedWithCode(3),
              "vkAllocateMemory returned VK_ERROR_OUT_OF_.*_MEMORY for [0-9]+ bytes");
}

TEST_F(FailuresOnDevice, ADeviceThatDoesNotAnswerIsLost) {
  auto gpu = executor_with([](VulkanOptions& options) { options.timeout = 1e-6; });
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

TEST_F(FailuresOnDevice, StepModeNamesTheDispatchThatFailed) {
  const auto gpu = executor_with([](VulkanOptions& options) {
    options.timeout = 1e-6;
    options.step = true;
  });
  ir::Graph graph;
  const auto a = graph.param("a", {DType::f32, {512, 512}});
  const auto y = graph.add("y", ir::ops::Matmul{}, {a, a});
  const ir::Feeds feeds = {{"a", ir::Tensor(graph.type(a))}};
  const auto message = message_of([&] { gpu->compile(graph, feeds, {{y}})->run({}); });
  EXPECT_THAT(message, HasSubstr("vkWaitSemaphores returned VK_TIMEOUT"));
}

}  // namespace
}  // namespace plumb::gpu_vulkan

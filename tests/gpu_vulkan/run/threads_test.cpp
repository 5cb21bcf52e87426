// Threads that use a device: each needs an executor of its own, and one that has none is told so.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/sample_graph.hpp"

namespace plumb::gpu_vulkan::threads_test {
namespace {

using testing::any_executor;
using testing::executor_with;
using testing::expect_equal;
using testing::Sample;
using tests::message_of;

class ThreadsOnDevice : public testing::OnDevice {
 protected:
  Sample sample;
};

TEST_F(ThreadsOnDevice, EachWithItsExecutorGetsTheBitsOfOneAlone) {
  const ir::Tensors alone = any_executor()->compile(sample.graph, sample.params, {{sample.y}})->run(sample.feeds);
  std::atomic<int> equal = 0;
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < 3; ++t)
      all.emplace_back([&] {
        const auto gpu = any_executor();
        const auto executable = gpu->compile(sample.graph, sample.params, {{sample.y}});
        for (int run = 0; run < 20; ++run)
          equal += std::ranges::equal(executable->run(sample.feeds).at(sample.y).bytes(), alone.at(sample.y).bytes());
      });
  }
  EXPECT_EQ(equal, 60);
}

/// A host that calls a function before it runs.
class Host final : public ir::Executor {
 public:
  explicit Host(const std::function<void()>& before) : before_(before) {}

  std::string_view name() const override { return "host"; }
  bool has_kernel(const ir::OpSchema& schema) const override { return cpu_.has_kernel(schema); }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    return std::make_unique<Program>(before_, cpu_.compile(graph, params, capture));
  }

 private:
  class Program final : public ir::Executable {
   public:
    Program(const std::function<void()>& before, std::unique_ptr<ir::Executable> of)
        : before_(before), of_(std::move(of)) {}

    ir::Tensors run(const ir::Feeds& inputs) override {
      before_();
      return of_->run(inputs);
    }
    std::vector<ir::NodeReport> nodes() const override { return of_->nodes(); }

   private:
    const std::function<void()>& before_;
    std::unique_ptr<ir::Executable> of_;
  };

  const std::function<void()>& before_;
  ref_cpu::CpuExecutor cpu_;
};

TEST_F(ThreadsOnDevice, ASecondRunDuringTheFirstIsAnErrorThatLeavesTheFirstAlone) {
  std::function<void()> during = [] {};
  const auto gpu = executor_with([&](device::VulkanOptions& options) {
    options.max_buffer = 300;  // a node is too large for the device
    options.fallback = device::Fallback::allow;
    options.host = std::make_shared<Host>(during);
  });
  const auto one = gpu->compile(sample.graph, sample.params, {{sample.y}});
  const auto other = gpu->compile(sample.graph, sample.params, {{sample.y}});
  const ir::Tensors alone = one->run(sample.feeds);
  for (ir::Executable* const second : {one.get(), other.get()}) {
    std::string said;
    during = [&] { std::thread([&] { said = message_of([&] { second->run(sample.feeds); }); }).join(); };
    expect_equal(sample.graph, alone, one->run(sample.feeds));
    EXPECT_EQ(said,
              "run by two threads at once: all that an executor made is for one at a time, and each thread opens its "
              "own executor");
  }
  during = [] {};
  expect_equal(sample.graph, alone, other->run(sample.feeds));
}

}  // namespace
}  // namespace plumb::gpu_vulkan::threads_test

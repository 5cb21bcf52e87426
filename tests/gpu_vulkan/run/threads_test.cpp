// Threads that use one device: by executors of their own, and by what one executor made.
#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/sample_graph.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::gpu_vulkan::threads_test {
namespace {

using device::Staging;
using ir::Value;
using plumb::testing::read;
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

TEST_F(ThreadsOnDevice, ASecondOneInAContextIsAnErrorThatLeavesTheFirstAlone) {
  std::function<void()> during = [] {};
  const auto gpu = executor_with([&](device::VulkanOptions& options) {
    options.max_buffer = 300;
    options.fallback = device::Fallback::allow;
    options.host = std::make_shared<Host>(during);
  });
  ir::Graph graph;
  const Value x = graph.input("x", {ir::DType::i32, {3, 7}}), at = graph.input("at", {ir::DType::i64, {3}});
  const Value wide = graph.add("wide", ir::ops::Concat{0}, {x, x, x, x});  // too large for the device
  const Value some = graph.add("some", ir::ops::Gather{0}, {wide, at});
  const Value y = graph.add("y", ir::ops::Binary{ir::ops::BinaryFunction::add}, {some, x});
  const ir::Feeds feeds{{"x", tests::noise(graph.type(x))}, {"at", plumb::testing::indices_of({3}, {7, 0, 11})}};
  const auto executable = gpu->compile(graph, {}, {{y}});
  const ir::Tensors alone = executable->run(feeds);
  const auto one = executable->context(), other = executable->context();
  std::string said, said_of_other;
  bool is_first = true;
  during = [&] {
    if (!std::exchange(is_first, false)) return;
    std::thread([&] {
      said = message_of([&] { one->submit(feeds); });
      said_of_other = message_of([&] { other->submit(feeds).get(); });
    }).join();
  };
  one->submit(feeds).get();
  EXPECT_EQ(said, "run by two threads at once: a context is for one at a time, and each thread makes its own");
  EXPECT_EQ(said_of_other, "");
  for (const auto* context : {&one, &other}) plumb::testing::expect_results(**context, alone, graph);
}

TEST_F(ThreadsOnDevice, ARunWithinARunOfTheSameExecutableIsAnError) {
  std::function<void()> during = [] {};
  const auto gpu = executor_with([&](device::VulkanOptions& options) {
    options.max_buffer = 300;
    options.fallback = device::Fallback::allow;
    options.host = std::make_shared<Host>(during);
  });
  const auto executable = gpu->compile(sample.graph, sample.params, {{sample.y}});
  const ir::Tensors alone = executable->run(sample.feeds);
  std::string said;
  during = [&] { said = message_of([&] { executable->run(sample.feeds); }); };
  expect_equal(sample.graph, alone, executable->run(sample.feeds));
  EXPECT_EQ(said, "an executable is used within its own run");
}

TEST_F(ThreadsOnDevice, SeveralShareAnExecutableByRun) {
  const auto host = std::make_shared<ref_cpu::CpuExecutor>();
  for (const bool is_mixed : {false, true}) {
    const auto gpu = executor_with([&](device::VulkanOptions& options) {
      if (!is_mixed) return;
      options.max_buffer = 300;
      options.fallback = device::Fallback::allow;
      options.host = host;
    });
    const auto executable = gpu->compile(sample.graph, sample.params, {{sample.y}});
    std::atomic<int> equal = 0;
    {
      std::vector<std::jthread> all;
      for (unsigned t = 1; t <= 8; ++t)
        all.emplace_back([&, inputs = sample.inputs(t), expected = executable->run(sample.inputs(t))] {
          ir::Tensors results;
          for (int run = 0; run < 20; ++run) {
            executable->run_into(inputs, results);
            equal += tests::same_bytes(results.at(sample.y), expected.at(sample.y));
            executable->nodes();
          }
        });
    }
    EXPECT_EQ(equal, 160);
    EXPECT_THAT(gpu->validation_messages(), ::testing::IsEmpty());
  }
}

TEST_F(ThreadsOnDevice, SeveralCompileByOneExecutor) {
  const ir::Tensors alone = any_executor()->compile(sample.graph, sample.params, {{sample.y}})->run(sample.feeds);
  const auto gpu = any_executor();
  const auto params = gpu->hold(sample.params);
  std::atomic<int> equal = 0;
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < 6; ++t)
      all.emplace_back([&, t] {
        const ir::Capture wanted{{sample.y}};
        const auto executable = t % 2 == 0 ? gpu->compile(sample.graph, sample.params, wanted)
                                           : gpu->compile(sample.graph, params, ir::CompileOptions{wanted});
        equal += tests::same_bytes(executable->run(sample.feeds).at(sample.y), alone.at(sample.y));
        const auto context = executable->context();
        context->submit(sample.feeds).get();
        equal += tests::same_bytes(read(context->buffer(sample.y)), alone.at(sample.y));
      });
  }
  EXPECT_EQ(equal, 12);
  EXPECT_THAT(gpu->validation_messages(), ::testing::IsEmpty());
}

/// Runs in flight of one thread, by contexts of its own, on buffers and params that all threads read.
class Runner {
 public:
  static constexpr std::size_t count = 4;  // contexts
  static constexpr unsigned variants = 5;  // inputs that differ
  static constexpr unsigned bound_to = 1;  // the variant of x in the buffer that threads share

  /// All runners share these.
  struct Common {
    const Sample& sample;
    ir::Executable& executable;
    VulkanExecutor& gpu;
    ir::Buffer x = plumb::testing::buffer_of(gpu, sample.inputs(bound_to).at("x"));
    std::vector<ir::Tensors> given = {}, bound = {};  ///< results by variant, where x is given and where it is bound

    void find_expected() {
      for (unsigned v = 0; v < variants; ++v) {
        ir::Feeds inputs = sample.inputs(v);
        given.push_back(executable.run(inputs));
        inputs.insert_or_assign("x", sample.inputs(bound_to).at("x"));
        bound.push_back(executable.run(inputs));
      }
    }
  };

  explicit Runner(const Common& common) : common_(common) {
    for (std::size_t i = 0; i < count; ++i) {
      Lane& lane = lanes_.emplace_back(Lane{common.executable.context(), i % 2 == 1});
      if (lane.is_bound) lane.context->bind(common.sample.x, common.x);
      if (i >= 2) lane.to = common.gpu.allocate(common.sample.graph.type(common.sample.y));
      if (i >= 2) lane.context->bind_result(common.sample.y, *lane.to);
    }
  }

  /// Looks at the run before of each context as late as it can. One run in seven is refused an index.
  void submit(int times) {
    for (int i = 0; i < times + int{count}; ++i) {
      Lane& lane = lanes_[static_cast<std::size_t>(i) % count];
      if (lane.fence) look_at(lane);
      if (i >= times) continue;
      lane.variant = static_cast<unsigned>(i) % variants;
      lane.is_refused = i % 7 == 3;
      ir::Feeds inputs = common_.sample.inputs(lane.variant);
      if (lane.is_bound) inputs.erase("x");
      if (lane.is_refused) inputs.insert_or_assign("at", ir::Tensor::of<std::int64_t>({5}, {0, 1, 99, 3, 4}));
      lane.fence = lane.context->submit(inputs);
    }
  }

  int right = 0, refused = 0;

 private:
  struct Lane {
    std::unique_ptr<ir::Context> context;
    bool is_bound;
    std::optional<ir::Buffer> to = {};
    std::optional<ir::Fence> fence = {};
    unsigned variant = 0;
    bool is_refused = false;
  };

  void look_at(Lane& lane) {
    const std::string said = message_of([&] { lane.fence->get(); });
    lane.fence.reset();
    if (lane.is_refused) {
      refused += said.find("index 99") != std::string::npos;
      return;
    }
    EXPECT_EQ(said, "");
    const Value y = common_.sample.y;
    ir::Buffer copy = lane.context->buffer(y);
    if (lane.to) {  // by the device, beside the copies of other threads
      copy = common_.gpu.allocate(copy.type());
      copy.copy_from(*lane.to);
    }
    right += tests::same_bytes(read(copy), (lane.is_bound ? common_.bound : common_.given)[lane.variant].at(y));
  }

  const Common& common_;
  std::vector<Lane> lanes_;
};

/// By all threads, unless PLUMB_SUBMITS says otherwise. 10000 take a dozen seconds on a software device.
int submits() {
  const char* said = std::getenv("PLUMB_SUBMITS");
  return said == nullptr ? 2000 : std::atoi(said);
}

TEST_F(ThreadsOnDevice, SixteenContextsOfFourHaveTheBitsAndErrorsOfTheirOwnRuns) {
  for (const Staging staging : {Staging::automatic, Staging::always}) {
    const auto gpu = executor_with([&](device::VulkanOptions& options) { options.staging = staging; });
    const auto executable =
        gpu->compile(sample.graph, gpu->hold(sample.params), ir::CompileOptions{.capture = {{sample.y}}});
    Runner::Common common{.sample = sample, .executable = *executable, .gpu = *gpu};
    common.find_expected();
    constexpr int threads = 4;
    const int each = submits() / threads / 2;
    std::atomic<int> right = 0, refused = 0;
    {
      std::vector<std::jthread> all;
      for (int t = 0; t < threads; ++t)
        all.emplace_back([&] {
          EXPECT_EQ(message_of([&] {
                      Runner runner(common);
                      runner.submit(each);
                      right += runner.right;
                      refused += runner.refused;
                    }),
                    "");
        });
    }
    const int refusals = threads * ((each + 3) / 7);
    EXPECT_EQ(refused, refusals);
    EXPECT_EQ(right, threads * each - refusals);
    EXPECT_THAT(gpu->validation_messages(), ::testing::IsEmpty());
  }
}

}  // namespace
}  // namespace plumb::gpu_vulkan::threads_test

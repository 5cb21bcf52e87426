// One executable, many runs: what is used again, and what is measured.
#include "gpu_vulkan/run/executable.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/sample_graph.hpp"
#include "tests/ir/counted_new.hpp"

namespace plumb::gpu_vulkan::runs_test {
namespace {

using ir::Value;
using testing::any_executor;
using testing::executor_with;
using testing::expect_equal;
using testing::Sample;

class Runs : public testing::OnDevice {
 protected:
  Sample sample;
  ir::Capture everything() const {
    ir::Capture all;
    for (Value v = 0; v < sample.graph.value_count(); ++v) all.wanted.push_back(v);
    return all;
  }
  ir::Tensors expected(unsigned seed) const {
    return ref_cpu::CpuExecutor().compile(sample.graph, sample.params, everything())->run(sample.inputs(seed));
  }
};

TEST_F(Runs, WriteOverTheResultsOfAnEarlierOne) {
  const auto executable = any_executor()->compile(sample.graph, sample.params, everything());
  auto results = executable->run(sample.inputs(1));
  std::map<Value, const std::byte*> places;
  for (const auto& [value, tensor] : results) places[value] = tensor.bytes().data();
  executable->run_into(sample.inputs(2), results);
  expect_equal(sample.graph, expected(2), results);
  for (const auto& [value, tensor] : results) EXPECT_EQ(tensor.bytes().data(), places.at(value)) << value;
}

TEST_F(Runs, TrustNothingInTheResultsTheyAreGiven) {
  const auto executable = any_executor()->compile(sample.graph, sample.params, everything());
  auto results = executable->run(sample.inputs(1));
  for (auto& [value, tensor] : results) std::ranges::fill(tensor.bytes(), std::byte{0x5A});
  results.at(sample.y) = ir::Tensor({ir::DType::f64, {3}});
  results.erase(sample.none);
  results.emplace(sample.graph.value_count() + 7, ir::Tensor());
  executable->run_into(sample.inputs(2), results);
  expect_equal(sample.graph, expected(2), results);
}

TEST_F(Runs, AllocateNothingOnTheHostAfterTheFirst) {
  const auto gpu =
      executor_with([](device::VulkanOptions& options) { options.validation = false; });  // which allocates
  const auto executable = gpu->compile(sample.graph, sample.params, everything());
  const auto inputs = sample.inputs(3);
  ir::Tensors results;
  const auto before = tests::allocations;
  executable->run_into(inputs, results);
  const auto first = tests::allocations;
  if (first == before) GTEST_SKIP() << "a sanitizer's operator new does not count";
  for (int run = 0; run < 5; ++run) executable->run_into(inputs, results);
  EXPECT_EQ(tests::allocations, first);
}

TEST_F(Runs, SayWhereTheTimeWent) {
  const auto times_with = [&](device::Timestamps timestamps) {
    const auto gpu = executor_with([&](device::VulkanOptions& options) { options.timestamps = timestamps; });
    const auto executable = gpu->compile(sample.graph, sample.params, {{sample.y}});
    executable->run(sample.feeds);
    for (const auto& node : executable->nodes())
      EXPECT_TRUE(!node.nanoseconds || timestamps == device::Timestamps::nodes) << node.kernel;
    return dynamic_cast<const run::VulkanExecutable&>(*executable).times();
  };
  const bool timed = any_executor()->facts().timestamps;
  for (const auto timestamps : {device::Timestamps::off, device::Timestamps::run, device::Timestamps::nodes}) {
    const run::RunTimes times = times_with(timestamps);
    EXPECT_GT(times.submit, 0u);
    EXPECT_GT(times.wait, 0u);
    EXPECT_EQ(times.device.has_value(), timed && timestamps != device::Timestamps::off);
    if (times.device) {
      EXPECT_LT(*times.device, times.submit + times.wait);
      EXPECT_GT(*times.device, 0u);
    }
  }
}

}  // namespace
}  // namespace plumb::gpu_vulkan::runs_test

// Every op and every model of fixtures/ and bench/, on every executor of this machine:
// cpu/matmul/odd_shapes, vulkan/graphs/bert_base, ... Google Benchmark has the flags.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/fixture_bench.hpp"
#include "bench/fixtures.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/raw/keep_memory.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace {

using plumb::bench::Candidate;

std::vector<Candidate> candidates() {
  std::vector<Candidate> all = {{"cpu", std::make_shared<plumb::ref_cpu::CpuExecutor>()}};
  try {
    const auto vulkan = std::make_shared<plumb::gpu_vulkan::VulkanExecutor>();
    benchmark::AddCustomContext("vulkan", vulkan->facts().name);
    all.push_back({"vulkan", vulkan});
  } catch (const plumb::ir::Error& error) {
    fmt::print(stderr, "no Vulkan: {}\n", error.what());
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  plumb::ir::raw::keep_freed_memory();  // as the program does
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const std::filesystem::path root = plumb::bench::source_folder();
  try {
    const auto executors = candidates();
    plumb::bench::register_fixtures(root / "fixtures/ops", "", executors);
    plumb::bench::register_fixtures(root / "bench/ops", "", executors);
    plumb::bench::register_fixtures(root / "fixtures/graphs", "graphs/", executors);
  } catch (const std::exception& error) {
    fmt::print(stderr, "plumb_bench: {}\n", error.what());
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}

// Threads that use one CPU executor, each with executables of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "ir/formats/graph_file.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/movement.hpp"

namespace plumb::ref_cpu::threads_test {
namespace {

constexpr auto text = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[24, 96]"}},
  "params": {"w": {"type": "f32[96, 40]"}}, "nodes": [
  {"label": "h", "op": "matmul", "inputs": ["x", "w"]},
  {"label": "y", "op": "softmax", "axis": -1, "inputs": ["h"]},
  {"label": "s", "op": "rfft", "inputs": ["x"]}], "results": ["y", "s"]})";

/// Eight threads, whose inputs differ, run a thousand times together.
void expect_bits_of_one_thread(CpuOptions options) {
  constexpr std::uint64_t threads = 8;
  constexpr int runs = 125;
  const auto file = ir::formats::parse_graph(text, ".");
  CpuExecutor cpu(options);
  std::vector<ir::Feeds> feeds;
  std::vector<ir::Tensors> alone;
  for (std::uint64_t t = 0; t < threads; ++t) {
    feeds.push_back(ir::formats::materialise(file, t + 1));
    alone.push_back(cpu.run(file.graph, feeds[t], file.graph.results()));
  }
  std::atomic<int> equal = 0;
  {
    std::vector<std::jthread> all;
    for (std::uint64_t t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        const auto executable = cpu.compile(file.graph, feeds[t], {file.graph.results()});
        for (int run = 0; run < runs; ++run) {
          const ir::Tensors made = executable->run(feeds[t]);
          const auto is_equal = [&](ir::Value v) { return tests::same_bytes(made.at(v), alone[t].at(v)); };
          equal += std::ranges::all_of(file.graph.results(), is_equal) ? 1 : 0;
        }
      });
  }
  EXPECT_EQ(equal, static_cast<int>(threads) * runs);
}

TEST(CpuThreads, EachWithItsExecutableGetsTheBitsOfOneAlone) {
  for (const int threads : {0, 1, 2}) {
    SCOPED_TRACE(threads);
    expect_bits_of_one_thread({.threads = threads});
  }
}

}  // namespace
}  // namespace plumb::ref_cpu::threads_test

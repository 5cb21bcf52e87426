// Results do not depend on what a program did to the floating-point environment of its threads.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <thread>

#include "ir/formats/graph_file.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/odd_floats.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::ref_cpu::float_environment_test {
namespace {

/// Nodes that threads share, one that is computed when the graph is compiled, subnormal numbers, and decimals.
constexpr auto text = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[256, 512]"}},
  "params": {"w": {"type": "f32[512, 96]"}}, "nodes": [
  {"label": "third", "op": "constant", "dtype": "f32", "shape": [1], "values": [0.3333]},
  {"label": "root", "op": "unary", "function": "sqrt", "inputs": ["third"]},
  {"label": "hann", "op": "window", "function": "hann", "size": 512},
  {"label": "tiny", "op": "constant", "dtype": "f32", "shape": [1], "values": [1e-39]},
  {"label": "h", "op": "matmul", "inputs": ["x", "w"]},
  {"label": "y", "op": "softmax", "axis": -1, "inputs": ["h"]},
  {"label": "e", "op": "unary", "function": "exp", "inputs": ["x"]},
  {"label": "scaled", "op": "binary", "function": "multiply", "inputs": ["e", "root"]},
  {"label": "least", "op": "binary", "function": "multiply", "inputs": ["scaled", "tiny"]}],
  "results": ["y", "least"]})";

/// Every value that is computed from what the text says alone.
ir::Tensors run(const ir::formats::GraphFile& file, CpuOptions options) {
  const ir::Feeds feeds = ir::formats::materialise(file, 1);
  CpuExecutor cpu(options);
  const auto executable = cpu.compile(file.graph, feeds, {{}, true});
  ir::Tensors made = executable->run(feeds);
  const auto context = executable->context();
  context->submit(plumb::testing::part_of(feeds, file.graph.inputs())).get();
  for (const auto& [value, tensor] : made)
    EXPECT_TRUE(tests::same_bytes(plumb::testing::read(context->buffer(value)), tensor)) << file.graph.name(value);
  return made;
}

void expect_usual_results(const ir::Tensors& usual, CpuOptions options) {
  const tests::OddFloats odd;
  // oneTBB hears of this thread now, and has others compute as it does.
  std::atomic<int> odd_ones = 0;
  tbb::parallel_for(0, 64, [&](int) { odd_ones += tests::has_odd_floats() ? 1 : 0; });
  EXPECT_EQ(odd_ones, 64);
  const auto file = ir::formats::parse_graph(text, ".");
  const ir::Tensors here = run(file, options);
  ASSERT_EQ(here.size(), usual.size());
  for (const auto& [value, tensor] : here)
    EXPECT_TRUE(tests::same_bytes(tensor, usual.at(value))) << file.graph.name(value);
  EXPECT_THROW(CpuExecutor(options).run(file.graph, {}, file.graph.results()), ir::Error);
  EXPECT_TRUE(tests::has_odd_floats());
}

TEST(CpuFloatEnvironment, RunsHaveTheBitsOfAnyOtherProgram) {
  ir::Tensors usual;
  const auto in_a_thread = [](const auto& act) { std::thread(act).join(); };
  in_a_thread([&] { usual = run(ir::formats::parse_graph(text, "."), {}); });
  for (const int threads : {0, 1, 4}) {
    SCOPED_TRACE(threads);
    in_a_thread([&] { expect_usual_results(usual, {.threads = threads}); });
  }
}

}  // namespace
}  // namespace plumb::ref_cpu::float_environment_test

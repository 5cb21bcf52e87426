// Params on a device that are replaced after compile.
#include "tests/support/replaced_params.hpp"

#include "ir/ops/concat.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/support/paths.hpp"

namespace plumb::gpu_vulkan::replaced_params_test {
namespace {

using device::Staging;
using ir::DType;
using ir::Value;
using testing::executor_with;
using ::testing::HasSubstr;

class ReplacedParamsOnDevice : public testing::OnDevice {};

/// Through the host's view of device memory, and through staging memory.
TEST_F(ReplacedParamsOnDevice, HaveTheBitsOfAFreshCompile) {
  const auto file = ir::formats::read_graph(tests::source_dir() / "fixtures/graphs/bert_tiny.json");
  const ir::Feeds feeds = ir::formats::materialise(file, 1), others = ir::formats::materialise(file, 2);
  for (const Staging staging : {Staging::automatic, Staging::always}) {
    const auto gpu = executor_with([&](device::VulkanOptions& options) { options.staging = staging; });
    plumb::testing::expect_set_equals_compiled(*gpu, file.graph, feeds, others);
  }
}

TEST_F(ReplacedParamsOnDevice, StayWhereSomebodyMayHaveFoldedThem) {
  plumb::testing::expect_fixed_params_are_refused(*executor_with([](device::VulkanOptions&) {}));
}

/// A result that is a param in another shape is not made by runs, a node on the host has a copy, and so has redzone.
TEST_F(ReplacedParamsOnDevice, AreRefusedWhereTheirMemoryIsNotRead) {
  ir::Graph graph;
  const Value x = graph.input("x", {DType::i32, {3, 7}}), p = graph.param("p", {DType::i32, {3, 7}});
  const Value flat = graph.add("flat", ir::ops::Reshape{{-1}}, {p});
  const Value wide = graph.add("wide", ir::ops::Concat{0}, {x, p, p, x});  // it has 336 bytes
  const Value y = graph.add("y", ir::ops::Binary{ir::ops::BinaryFunction::add}, {x, p});
  const ir::Feeds values{{"p", tests::noise(graph.type(p))}};
  const auto refusal = [&](VulkanExecutor& gpu, Value wanted) {
    const auto params = gpu.hold(values);
    return tests::message_of([&] { gpu.compile(graph, params, ir::CompileOptions{{{wanted}}, {"p"}}); });
  };
  const auto plain = executor_with([](device::VulkanOptions&) {});
  EXPECT_EQ(refusal(*plain, y), "");
  EXPECT_THAT(refusal(*plain, flat), HasSubstr("a wanted value is 'p' in another shape"));
  const auto mixed = executor_with([](device::VulkanOptions& options) {
    options.fallback = device::Fallback::allow;
    options.host = std::make_shared<ref_cpu::CpuExecutor>();
    options.max_buffer = 300;
  });
  EXPECT_THAT(refusal(*mixed, wide), HasSubstr("node 'wide' reads 'p' on the host"));
  const auto zoned = executor_with([](device::VulkanOptions& options) { options.redzone = true; });
  EXPECT_THAT(refusal(*zoned, y), HasSubstr("with redzone an executable has its own"));
}

}  // namespace
}  // namespace plumb::gpu_vulkan::replaced_params_test

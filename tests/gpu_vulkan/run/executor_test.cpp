#include <gmock/gmock.h>

#include <map>

#include "ir/ops/matmul.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/sample_graph.hpp"

namespace plumb::gpu_vulkan::executor_test {
namespace {

using ir::DType;
using ir::Placement;
using ir::Value;
using testing::any_executor;
using testing::executor_with;
using testing::expect_equal;
using ::testing::HasSubstr;
using testing::Sample;
using tests::message_of;

const ir::Capture everything{{}, true};

class Executor : public testing::OnDevice {
 protected:
  Sample sample;
  ir::Tensors on_cpu(const ir::Feeds& inputs) {
    return ref_cpu::CpuExecutor().compile(sample.graph, sample.params, wanted())->run(inputs);
  }
  /// Every value, of sources too.
  ir::Capture wanted() const {
    ir::Capture all;
    for (Value v = 0; v < sample.graph.value_count(); ++v) all.wanted.push_back(v);
    return all;
  }
};

TEST_F(Executor, ComputesWhatTheCpuComputes) {
  const auto gpu = any_executor();
  expect_equal(sample.graph, on_cpu(sample.feeds),
               gpu->compile(sample.graph, sample.params, wanted())->run(sample.feeds));
}

TEST_F(Executor, ReturnsOnlyWhatIsWanted) {
  const auto results = any_executor()->compile(sample.graph, sample.params, {{sample.y}})->run(sample.feeds);
  expect_equal(sample.graph, {{sample.y, on_cpu(sample.feeds).at(sample.y)}}, results);
}

TEST_F(Executor, RunsManyTimesOnChangingInputs) {
  const auto gpu = any_executor();
  const auto executable = gpu->compile(sample.graph, sample.params, everything);
  std::map<unsigned, ir::Tensors> first;
  for (unsigned seed = 1; seed <= 3; ++seed) first[seed] = executable->run(sample.inputs(seed));
  for (unsigned round = 0; round < 30; ++round)
    expect_equal(sample.graph, first[round % 3 + 1], executable->run(sample.inputs(round % 3 + 1)));
  expect_equal(sample.graph, {{sample.y, on_cpu(sample.inputs(2)).at(sample.y)}}, {{sample.y, first[2].at(sample.y)}});
}

TEST_F(Executor, ExecutablesTakeTurnsAndOutliveIt) {
  auto gpu = any_executor();
  const auto one = gpu->compile(sample.graph, sample.params, {{sample.y}});
  const auto other = gpu->compile(sample.graph, sample.params, everything);
  gpu.reset();
  const auto y = on_cpu(sample.feeds).at(sample.y);
  for (int round = 0; round < 2; ++round) {
    expect_equal(sample.graph, {{sample.y, y}}, one->run(sample.feeds));
    expect_equal(sample.graph, {{sample.y, y}}, {{sample.y, other->run(sample.feeds).at(sample.y)}});
  }
}

TEST_F(Executor, ReportsPlacementKernelAndTimeOfEveryNode) {
  const auto gpu =
      executor_with([](device::VulkanOptions& options) { options.timestamps = device::Timestamps::nodes; });
  const auto executable = gpu->compile(sample.graph, sample.params, {{sample.y}});
  EXPECT_FALSE(executable->nodes()[2].nanoseconds.has_value());  // nothing ran yet
  executable->run(sample.feeds);
  const auto nodes = executable->nodes();
  ASSERT_EQ(nodes.size(), sample.graph.nodes().size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto& label = sample.graph.nodes()[n].label;
    const bool elided = label == "constant" || label == "flat" || label == "halves";
    EXPECT_EQ(nodes[n].placement, elided ? Placement::elided : Placement::gpu) << label;
    EXPECT_EQ(nodes[n].kernel.empty(), label == "constant" || label == "halves") << label;
    EXPECT_EQ(nodes[n].nanoseconds.has_value(), !elided && gpu->facts().timestamps) << label;
  }
}

TEST_F(Executor, MeasuresNothingWhenToldSo) {
  const auto gpu = executor_with([](device::VulkanOptions& options) { options.timestamps = device::Timestamps::off; });
  const auto executable = gpu->compile(sample.graph, sample.params, {{sample.y}});
  executable->run(sample.feeds);
  for (const auto& node : executable->nodes()) EXPECT_FALSE(node.nanoseconds.has_value());
}

TEST_F(Executor, CompilesEachGraphByOptionsOfItsOwn) {
  const auto gpu = executor_with([](device::VulkanOptions& options) { options.fuse = false; });
  ir::Graph graph;
  const ir::TensorType square = {DType::f32, {64, 64}};
  graph.returns(graph.add("y", ir::ops::Matmul{}, {graph.input("a", square), graph.input("b", square)}));
  std::size_t tiles = 0;
  for (const auto& tile : plan::lowered_choice(graph, gpu->facts(), gpu->plan_options()).tiles) {
    if (!tile.fits) continue;
    const auto executable =
        gpu->compile(graph, {}, {graph.results()}, {.tile = tile.name, .timestamps = device::Timestamps::off});
    executable->run({{"a", ir::Tensor(square)}, {"b", ir::Tensor(square)}});
    EXPECT_EQ(executable->nodes()[0].tile, tile.name);
    EXPECT_FALSE(executable->nodes()[0].nanoseconds.has_value());
    ++tiles;
  }
  EXPECT_GT(tiles, 1u);
}

TEST_F(Executor, SaysWhatWasNotFed) {
  const auto gpu = any_executor();
  EXPECT_EQ(message_of([&] { gpu->compile(sample.graph, {}, everything); }), "param 'w' was not fed");
  const auto executable = gpu->compile(sample.graph, sample.params, everything);
  EXPECT_EQ(message_of([&] { executable->run({}); }), "input 'x' was not fed");
  auto wrong = sample.feeds;
  wrong.at("x") = ir::Tensor({DType::i32, {7, 13}});
  EXPECT_EQ(message_of([&] { executable->run(wrong); }), "input 'x' is i32[7, 13], the graph wants i32[13, 7]");
}

TEST_F(Executor, AnIndexOutOfRangeFailsTheRunAndNoOther) {
  const auto executable = any_executor()->compile(sample.graph, sample.params, everything);
  auto wrong = sample.feeds;
  wrong.at("at") = ir::Tensor::of<std::int64_t>({5}, {0, 1, 2, std::int64_t{13} << 32, 4});
  EXPECT_EQ(message_of([&] { executable->run(wrong); }),
            "node 'rows' (gather): index 55834574848 at position 3 is out of range");
  expect_equal(sample.graph, {{sample.y, on_cpu(sample.feeds).at(sample.y)}},
               {{sample.y, executable->run(sample.feeds).at(sample.y)}});
}

TEST_F(Executor, NamesTheNodesItCannotRun) {
  const auto gpu = executor_with([](device::VulkanOptions& options) { options.max_buffer = 300; });
  const auto message = message_of([&] { gpu->compile(sample.graph, sample.params, everything); });
  EXPECT_THAT(message, HasSubstr("gpu_vulkan: node 'rows' (gather): 'x' i32[13, 7] has 364 bytes"));
  EXPECT_THAT(message, HasSubstr("\ngpu_vulkan: node 'product' (matmul): 'w' i32[7, 11] has 308 bytes"));
  EXPECT_THROW(gpu->compile(sample.graph, sample.params, everything), ir::Unsupported);
}

TEST_F(Executor, TakesSeveralBuffersWhereOneIsTooSmall) {
  const auto gpu = executor_with([](device::VulkanOptions& options) { options.max_buffer = 512; });
  EXPECT_EQ(gpu->facts().max_allocation, 512u);
  const auto plan = gpu->plan(sample.graph, everything);
  EXPECT_GE(plan.arena.buffers.size(), 4u);
  for (const std::size_t bytes : plan.arena.buffers) EXPECT_LE(bytes, 512u);
  expect_equal(sample.graph, on_cpu(sample.feeds),
               gpu->compile(sample.graph, sample.params, wanted())->run(sample.feeds));
}

TEST_F(Executor, LeavesNodesToTheHostWhereThatIsAllowed) {
  const auto gpu = executor_with([](device::VulkanOptions& options) {
    options.max_buffer = 300;
    options.fallback = device::Fallback::allow;
    options.host = std::make_shared<ref_cpu::CpuExecutor>();
  });
  const auto executable = gpu->compile(sample.graph, sample.params, wanted());
  for (unsigned seed = 1; seed <= 2; ++seed)
    expect_equal(sample.graph, on_cpu(sample.inputs(seed)), executable->run(sample.inputs(seed)));
  const auto nodes = executable->nodes();
  EXPECT_EQ(nodes[1].placement, Placement::cpu);
  EXPECT_EQ(nodes[1].kernel, "ref_cpu");
  EXPECT_THAT(nodes[1].reason, HasSubstr("'x' i32[13, 7] has 364 bytes"));
  EXPECT_TRUE(nodes[1].nanoseconds.has_value());
  EXPECT_EQ(nodes[3].placement, Placement::gpu);
  EXPECT_EQ(message_of([] {
              executor_with([](device::VulkanOptions& o) {
                o.fallback = device::Fallback::allow;
                o.host = {};
              });
            }),
            "fallback is allowed, but there is no host executor to fall back on");
}

TEST_F(Executor, AFaultOnTheHostNamesItsNodeToo) {
  const auto gpu = executor_with([](device::VulkanOptions& options) {
    options.max_buffer = 300;
    options.fallback = device::Fallback::allow;
    options.host = std::make_shared<ref_cpu::CpuExecutor>();
  });
  auto wrong = sample.feeds;
  wrong.at("at") = ir::Tensor::of<std::int64_t>({5}, {0, 1, 2, 13, 4});
  EXPECT_THAT(message_of([&] { gpu->compile(sample.graph, sample.params, everything)->run(wrong); }),
              HasSubstr("node 'rows' (gather): "));
}

TEST_F(Executor, RunsAGraphWithoutNodes) {
  ir::Graph graph;
  const Value x = graph.input("x", {DType::f32, {3}}), w = graph.param("w", {DType::f32, {0}});
  const ir::Feeds feeds = {{"x", tests::noise(graph.type(x))}, {"w", ir::Tensor(graph.type(w))}};
  expect_equal(graph, {{x, feeds.at("x")}, {w, feeds.at("w")}}, any_executor()->run(graph, feeds, {x, w}));
}

/// Runs one graph under every option that must not change a bit.
using Modes = std::vector<std::pair<std::string, std::string>>;
class Mode : public Executor, public ::testing::WithParamInterface<Modes> {};

TEST_P(Mode, GivesTheSameBits) {
  const auto gpu = executor_with([](device::VulkanOptions& options) {
    for (const auto& [name, value] : GetParam()) device::set_option(options, name, value);
  });
  const auto executable = gpu->compile(sample.graph, sample.params, wanted());
  for (unsigned seed = 1; seed <= 2; ++seed)
    expect_equal(sample.graph, on_cpu(sample.inputs(seed)), executable->run(sample.inputs(seed)));
}

INSTANTIATE_TEST_SUITE_P(
    , Mode,
    ::testing::Values(Modes{{"poison", "1"}}, Modes{{"lifetimes", "1"}}, Modes{{"redzone", "1"}},
                      Modes{{"lifetimes", "1"}, {"staging", "always"}, {"max_buffer", "512"}}, Modes{{"no_reuse", "1"}},
                      Modes{{"full_barriers", "1"}}, Modes{{"step", "1"}}, Modes{{"staging", "always"}},
                      Modes{{"max_buffer", "512"}}, Modes{{"staging", "always"}, {"direct_results", "0"}},
                      Modes{{"staging", "always"}, {"direct_results", "140"}},
                      Modes{{"timestamps", "run"}, {"step", "1"}}, Modes{{"max_buffer", "512"}, {"staging", "always"}},
                      Modes{{"max_buffer", "2048"}, {"redzone", "1"}},
                      Modes{{"poison", "1"},
                            {"redzone", "1"},
                            {"full_barriers", "1"},
                            {"step", "1"},
                            {"staging", "always"},
                            {"no_reuse", "1"}}),
    [](const auto& test) {
      std::string name;
      for (const auto& [option, value] : test.param) name += option + "_" + value + "_";
      name.pop_back();
      return name;
    });

}  // namespace
}  // namespace plumb::gpu_vulkan::executor_test

// Runs allocate nothing on the host from the fourth on: docs/spec/residency.md D. The program's operator new counts,
// for the thread that calls: our libraries allocate by nothing else, and a run has no thread of ours but its caller. A
// driver that calls it on that thread is counted with us; its malloc is not.
#include <cstdlib>

#include "ir/formats/graph_file.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/sample_graph.hpp"
#include "tests/ir/counted_new.hpp"
#include "tests/support/cases/updated_operands.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::gpu_vulkan::allocations_test {
namespace {

using device::Staging;
using ir::Tensor;
using ir::Value;

constexpr const char* thorough = "PLUMB_THOROUGH_ALLOCATIONS";  // every graph of fixtures/graphs, and a hundred runs

/// A result and where it is read into; views have shapes, which allocate.
struct Shown {
  Value value;
  std::unique_ptr<Tensor> tensor;
  ir::MutableView view;
};

/// A graph, what it is fed, and the ways to run it.
struct Ways {
  const ir::Graph& graph;
  ir::Feeds feeds, inputs = plumb::testing::part_of(feeds, graph.inputs());
  VulkanExecutor& gpu;
  Staging staging = Staging::automatic;

  std::unique_ptr<ir::Executable> compiled() const {
    return gpu.compile(graph, feeds, {graph.results()}, GraphOptions{.staging = staging});
  }

  /// From the fourth call on.
  void expect_none(const std::string& way, const std::function<void()>& run) const {
    const std::size_t first = tests::allocations;
    run();
    if (tests::allocations == first) GTEST_SKIP() << "a sanitizer's operator new does not count";
    for (int i = 2; i <= 3; ++i) run();
    const int last = std::getenv(thorough) != nullptr ? 103 : 9;
    const std::size_t before = tests::allocations;
    for (int i = 4; i <= last; ++i) run();
    EXPECT_EQ(tests::allocations - before, 0u) << way;
  }

  std::vector<Shown> results() const {
    std::vector<Shown> all;
    for (const Value v : graph.results()) {
      auto tensor = std::make_unique<Tensor>(graph.type(v));
      const ir::MutableView view = tensor->view();
      all.push_back({v, std::move(tensor), view});
    }
    return all;
  }

  /// Submits, waits and reads all results.
  void expect_none_in(ir::Context& context, const std::string& way, const ir::Feeds& rest) const {
    const std::vector<Shown> all = results();
    const ir::Tensors expected = compiled()->run(inputs);
    bool is_first = true;
    expect_none(way, [&] {
      context.submit(rest).get();
      for (const Shown& one : all) context.buffer(one.value).read(one.view);
      if (!std::exchange(is_first, false)) return;
      for (const Shown& one : all) EXPECT_TRUE(tests::same_bytes(*one.tensor, expected.at(one.value))) << way;
    });
  }

  void expect_none_by_run() const {
    const auto executable = compiled();
    ir::Tensors results;
    expect_none("run_into", [&] { executable->run_into(inputs, results); });
  }

  void expect_none_where_all_is_given() const { expect_none_in(*compiled()->context(), "given", inputs); }

  void expect_none_where_all_is_bound() const {
    const auto context = compiled()->context();
    for (Value v = 0; v < graph.inputs().size(); ++v)
      context->bind(v, plumb::testing::buffer_of(gpu, inputs.at(graph.inputs()[v])));
    for (const Value v : graph.results()) context->bind_result(v, gpu.allocate(graph.type(v)));
    expect_none_in(*context, "bound", {});
  }

  /// The first result and input that are of one type, where any are. Into a bound input it is copied.
  void expect_none_where_something_is_fed(bool binds_input) const {
    for (const Value result : graph.results())
      for (Value input = 0; input < graph.inputs().size(); ++input) {
        if (graph.type(result) != graph.type(input)) continue;
        const auto context = compiled()->context();
        if (binds_input) context->bind(input, gpu.allocate(graph.type(input)));
        context->feed(result, input);
        context->buffer(input).write(inputs.at(graph.inputs()[input]));
        ir::Feeds rest = inputs;
        rest.erase(graph.inputs()[input]);
        return expect_none_in(*context, "fed: " + context->how(result), rest);
      }
  }

  void expect_none_in_any_way() const {
    expect_none_by_run();
    expect_none_where_all_is_given();
    expect_none_where_all_is_bound();
    for (const bool binds_input : {false, true}) expect_none_where_something_is_fed(binds_input);
  }
};

/// Layers allocate, and there are none here.
std::unique_ptr<VulkanExecutor> without_layers() {
  return testing::executor_with([](device::VulkanOptions& options) { options.validation = false; });
}

class Allocations : public testing::OnDevice {};

TEST_F(Allocations, AreNoneInAnyWayToRunASample) {
  const auto gpu = without_layers();
  const testing::Sample sample;
  ir::Graph graph = sample.graph;
  for (const Value v : {sample.y, sample.rows, sample.none, sample.flat}) graph.returns(v);
  ir::Feeds feeds = sample.params;
  feeds.insert(sample.feeds.begin(), sample.feeds.end());
  for (const Staging staging : {Staging::automatic, Staging::always})
    Ways{.graph = graph, .feeds = feeds, .gpu = *gpu, .staging = staging}.expect_none_in_any_way();
}

TEST_F(Allocations, AreNoneWhereACacheIsFedInPlaceAndARowIsRead) {
  const auto gpu = without_layers();
  const plumb::testing::DecoderStep block;
  const ir::Capture wanted{{block.logits, block.new_keys, block.new_values}};
  for (const Staging staging : {Staging::automatic, Staging::always}) {
    const auto step =
        gpu->compile_held(block.graph, gpu->hold(block.params), ir::CompileOptions{wanted}, {.staging = staging});
    const auto context = step->context();
    context->feed(block.new_keys, block.keys);
    context->feed(block.new_values, block.values);
    ASSERT_EQ(context->how(block.new_keys), "in place");
    Tensor row({ir::DType::f32, {1, 1, 5, 3}});
    const ir::MutableView view = row.view();
    const ir::TensorView given = row;
    const ir::Box box{{0, 1, 0, 2}, {1, 1, 5, 3}};
    const ir::Feeds rest = block.rest(3, Tensor(block.graph.type(block.logits)));
    const Ways ways{.graph = block.graph, .feeds = block.params, .inputs = {}, .gpu = *gpu};
    ways.expect_none("a row", [&] {
      context->submit(rest).get();
      context->buffer(block.new_keys).read(view, box);
      context->buffer(block.new_values).write(given, box);
    });
  }
}

/// Contexts block where a node runs on the host, and by debug modes: their runs are between copies by the host.
TEST_F(Allocations, AreNoneWhereContextsBlock) {
  ir::Graph graph;
  const Value x = graph.input("x", {ir::DType::i32, {3, 7}}), at = graph.input("at", {ir::DType::i64, {3}});
  const Value wide = graph.add("wide", ir::ops::Concat{0}, {x, x, x, x});
  const Value some = graph.add("some", ir::ops::Gather{0}, {wide, at});
  for (const Value v : {graph.add("y", ir::ops::Binary{ir::ops::BinaryFunction::add}, {some, x}), some})
    graph.returns(v);
  const ir::Feeds feeds{{"x", tests::noise(graph.type(x))}, {"at", plumb::testing::indices_of({3}, {7, 0, 11})}};
  const auto expect = [&](bool is_on_host, const std::function<void(device::VulkanOptions&)>& change) {
    const auto gpu = testing::executor_with([&](device::VulkanOptions& options) {
      options.validation = false;
      options.host = std::make_shared<ref_cpu::CpuExecutor>(ref_cpu::CpuOptions{.threads = 1});
      change(options);
    });
    const auto executable = gpu->compile(graph, feeds, {graph.results()});
    EXPECT_EQ(executable->nodes()[0].placement == ir::Placement::cpu, is_on_host);
    EXPECT_TRUE(executable->context()->blocks());
    Ways{.graph = graph, .feeds = feeds, .gpu = *gpu}.expect_none_in_any_way();
  };
  expect(true, [](device::VulkanOptions& options) {
    options.fallback = device::Fallback::allow;
    options.max_buffer = 300;  // less than the 336 bytes of 'wide'
  });
  expect(false, [](device::VulkanOptions& options) { options.poison = true; });
}

/// Four contexts whose runs are in flight, with fences that are asked late, on one buffer that the last one writes.
TEST_F(Allocations, AreNoneWhereRunsAreInFlight) {
  const auto gpu = without_layers();
  const testing::Sample sample;
  const auto executable = gpu->compile(sample.graph, sample.params, {{sample.y}});
  std::vector<std::unique_ptr<ir::Context>> contexts;
  for (int i = 0; i < 4; ++i) {
    contexts.push_back(executable->context());
    if (i % 2 == 1) contexts.back()->bind_result(sample.y, gpu->allocate(sample.graph.type(sample.y)));
  }
  std::vector<std::optional<ir::Fence>> fences(contexts.size());
  const Ways ways{.graph = sample.graph, .feeds = {}, .inputs = {}, .gpu = *gpu};
  ways.expect_none("in flight", [&] {
    for (std::size_t i = 0; i < contexts.size(); ++i) fences[i] = contexts[i]->submit(sample.feeds);
    for (const auto& fence : fences) fence->get();
  });
}

/// Graphs as people have them, of which CI runs those that a software device runs fast.
class AllocationsOfGraphs : public Allocations, public ::testing::WithParamInterface<std::string> {};

std::vector<std::string> graphs() {
  if (std::getenv(thorough) == nullptr) return {"log_mel_front_end", "lstm_tagger", "residual_block"};
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "fixtures/graphs"))
    if (entry.path().extension() == ".json") all.push_back(entry.path().stem().string());
  std::ranges::sort(all);
  return all;
}

TEST_P(AllocationsOfGraphs, AreNone) {
  const auto file = ir::formats::read_graph(tests::source_dir() / "fixtures/graphs" / (GetParam() + ".json"));
  const auto gpu = without_layers();
  Ways{.graph = file.graph, .feeds = ir::formats::materialise(file, 1), .gpu = *gpu}.expect_none_in_any_way();
}

INSTANTIATE_TEST_SUITE_P(Of, AllocationsOfGraphs, ::testing::ValuesIn(graphs()),
                         [](const auto& graph) { return graph.param; });

}  // namespace
}  // namespace plumb::gpu_vulkan::allocations_test

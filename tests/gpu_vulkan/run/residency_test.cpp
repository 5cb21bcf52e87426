// Buffers and contexts of a device: the bits of `run`, the bytes that move, and the order of what is in flight.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>

#include "gpu_vulkan/calibrate/measuring.hpp"
#include "gpu_vulkan/runtime/runtime.hpp"
#include "ir/buckets.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/sample_graph.hpp"
#include "tests/support/cases/updated_operands.hpp"
#include "tests/support/decoded_models.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::gpu_vulkan::residency_test {
namespace {

using device::Staging;
using ir::DType;
using ir::Tensor;
using ir::Value;
using plumb::testing::buffer_of;
using plumb::testing::read;
using plumb::testing::UpdatedGraph;
using plumb::testing::UpdatedOperand;
using testing::executor_with;

/// Through the host's view of device memory, and through staging memory.
class ResidencyOnDevice : public testing::OnDevice {
 protected:
  static std::unique_ptr<VulkanExecutor> executor(Staging staging) {
    return executor_with([&](device::VulkanOptions& options) { options.staging = staging; });
  }
  static constexpr std::array both_ways{Staging::automatic, Staging::always};
};

TEST_F(ResidencyOnDevice, ModelsDecodeInPlaceAsThroughTheHost) {
  plumb::testing::expect_models_decode_in_place(*executor(Staging::automatic),
                                                {"llama", "gpt-oss", "deepseek2", "qwen35moe", "gemma4"});
}

TEST_F(ResidencyOnDevice, PromptsSeeNothingOfOthersOrOfWhatLiesBehindThem) {
  plumb::testing::expect_prompts_stand_alone(*executor(Staging::automatic), {"llama", "gpt-oss", "qwen35moe"});
}

TEST_F(ResidencyOnDevice, OperandsAreWrittenOverWhereTheyAreBoundOrFed) {
  for (const Staging staging : both_ways) {
    const auto gpu = executor(staging);
    for (const UpdatedOperand& update : plumb::testing::updated_operands()) {
      if (update.name == "box_of_all") continue;  // whose result is the update
      SCOPED_TRACE(update.name);
      UpdatedGraph made(update);
      const Value y = made.updated(made.x);
      made.graph.returns(y);
      plumb::testing::expect_contexts_equal_run(*gpu, made.graph, made.feeds, made.feeds);
      plumb::testing::expect_fed_equals_run(*gpu, made.graph, made.feeds, {{y, made.x}});
      plumb::testing::expect_rebound_equals_run(*gpu, made.graph, made.feeds, {{y, made.x}});
      const auto context = gpu->compile(made.graph, {}, {{y}})->context();
      context->feed(y, made.x);
      EXPECT_EQ(context->how(y), "in place");
      const ir::Buffer both = buffer_of(*gpu, made.feeds.at("x"));
      context->bind(made.x, both);
      context->bind_result(y, both);
      ir::Feeds rest = made.feeds;
      rest.erase("x");
      context->submit(rest).get();
      EXPECT_TRUE(tests::same_bytes(read(both), gpu->run(made.graph, made.feeds, {y}).at(y)));
      EXPECT_EQ(context->buffer(y).memory(), both.memory());
    }
  }
}

/// Two states that change places, one that is only moved, and one that is fed to two inputs.
struct States {
  ir::Graph graph;
  Value a, b, c, d, x, sum, difference, seen;
  ir::Feeds feeds;

  States() {
    const ir::TensorType type{DType::i32, {3, 7}};
    for (const auto& [value, name] : {std::pair{&a, "a"}, {&b, "b"}, {&c, "c"}, {&d, "d"}, {&x, "x"}}) {
      *value = graph.input(name, type);
      feeds.emplace(name, tests::noise(type, static_cast<unsigned>(*value) + 1));
    }
    sum = graph.add("sum", ir::ops::Binary{ir::ops::BinaryFunction::add}, {a, x});
    difference = graph.add("difference", ir::ops::Binary{ir::ops::BinaryFunction::subtract}, {b, sum});
    const Value both = graph.add("both", ir::ops::Binary{ir::ops::BinaryFunction::multiply}, {c, d});
    seen = graph.add("seen", ir::ops::Binary{ir::ops::BinaryFunction::add}, {both, difference});
    for (const Value v : {sum, difference, seen}) graph.returns(v);
  }
};

TEST_F(ResidencyOnDevice, ResultsAreFedBySwapsAndWhereThatCannotBeByCopies) {
  const States states;
  for (const Staging staging : both_ways) {
    const auto gpu = executor(staging);
    for (const std::vector<std::pair<Value, Value>>& pairs : std::vector<std::vector<std::pair<Value, Value>>>{
             {{states.sum, states.a}},
             {{states.sum, states.a}, {states.difference, states.b}, {states.seen, states.c}},
             {{states.sum, states.b}, {states.difference, states.a}},
             {{states.seen, states.c}, {states.seen, states.d}},
             {{states.sum, states.a}, {states.sum, states.b}, {states.difference, states.c}}}) {
      plumb::testing::expect_fed_equals_run(*gpu, states.graph, states.feeds, pairs);
      plumb::testing::expect_rebound_equals_run(*gpu, states.graph, states.feeds, pairs);
      plumb::testing::expect_fed_equals_run(
          *gpu, states.graph, states.feeds, pairs, [&](ir::Context& context, ir::Feeds& rest) {
            rest.erase("a");
            context.bind(states.a, buffer_of(*gpu, states.feeds.at("a")));
            context.bind_result(states.difference, gpu->allocate(states.graph.type(states.difference)));
          });
    }
    const auto executable = gpu->compile(states.graph, {}, {states.graph.results()});
    const auto context = executable->context();
    context->feed(states.sum, states.a);
    context->feed(states.seen, states.c);
    context->feed(states.seen, states.d);
    EXPECT_EQ(context->how(states.sum), "swap");
    EXPECT_EQ(context->how(states.seen).substr(0, 6), "copy: ");
    context->bind(states.a, gpu->allocate(states.graph.type(states.a)));
    EXPECT_EQ(context->how(states.sum), "copy: 'a' is bound");
  }
}

TEST_F(ResidencyOnDevice, ADecoderKeepsItsCacheOnTheDevice) {
  for (const Staging staging : both_ways)
    plumb::testing::expect_decoded_in_place(*executor(staging), staging == Staging::always ? 256 : 4);
}

TEST_F(ResidencyOnDevice, APartialReadMovesItsBytesAlone) {
  const auto gpu = executor(Staging::always);
  ir::Graph graph;
  const Value x = graph.input("x", {DType::f32, {300, 4096}});
  const Value y = graph.add("y", ir::ops::Reverse{{0}}, {x});
  const Tensor rows = tests::noise(graph.type(x));
  const auto context = gpu->compile(graph, {}, {{y}})->context();
  context->submit({{"x", rows}}).get();
  EXPECT_EQ(context->traffic().up, rows.bytes().size());
  EXPECT_EQ(context->traffic().down, 0u);
  const auto expect_box = [&](const ir::Box& box) {
    const Tensor found = read(context->buffer(y), box);
    std::size_t at = 0;
    for (std::int64_t i = 0; i < box.extents[0]; ++i)
      for (std::int64_t j = 0; j < box.extents[1]; ++j, at += 4) {
        const auto from = static_cast<std::size_t>((299 - box.starts[0] - i) * 4096 + box.starts[1] + j) * 4;
        ASSERT_TRUE(std::ranges::equal(rows.bytes().subspan(from, 4), found.bytes().subspan(at, 4))) << i << ' ' << j;
      }
  };
  expect_box({{17, 0}, {1, 4096}});  // a row of 16 KiB
  EXPECT_EQ(context->traffic().down, 16384u);
  expect_box({{5, 4000}, {290, 3}});
  EXPECT_EQ(context->traffic().down, 16384u + 290 * 3 * 4);
  context->submit({{"x", rows}}).get();
  EXPECT_EQ(context->traffic().down, 0u);
}

/// In seconds.
double median_of(const std::function<void()>& call) {
  std::vector<double> all;
  for (int i = 0; i < 51; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return calibrate::median(std::move(all));
}

/// A buffer of 1 GiB; on software devices, which are not timed, it has 16 MiB.
TEST_F(ResidencyOnDevice, ARowOfALargeBufferMovesAloneAndTakesAsLongAsThreeSubmitsAtMost) {
  const auto gpu = executor(Staging::automatic);
  const bool is_timed = gpu->facts().kind != device::DeviceKind::software;
  const std::int64_t rows = is_timed ? 65536 : 1024, last = rows - 3;
  ir::Graph graph;
  const Value cache = graph.input("cache", {DType::f32, {1, 1, rows, 4096}});
  const Value row = graph.input("row", {DType::f32, {1, 1, 1, 4096}}), at = graph.input("at", {DType::i64, {1}});
  const Value y = graph.add("y", ir::ops::TensorScatter{.has_write_indices = true}, {cache, row, at});
  const auto context = gpu->compile(graph, {}, {{y}})->context();
  context->feed(y, cache);
  ASSERT_EQ(context->how(y), "in place");
  const Tensor given = tests::noise(graph.type(row));
  context->submit({{"row", given}, {"at", plumb::testing::indices_of({1}, {last})}}).get();
  Tensor found(given.type());
  const ir::MutableView view = found.view();
  const ir::Box box{{0, 0, last, 0}, {1, 1, 1, 4096}};
  context->buffer(y).read(view, box);
  EXPECT_TRUE(tests::same_bytes(found, given));
  EXPECT_EQ(context->traffic().up, 16384u + 8);
  EXPECT_EQ(context->traffic().down, 16384u);
  if (!is_timed) return;
  const device::VulkanOptions options = device::options_from_environment();
  runtime::Runtime own(options);
  const auto pool = runtime::make_command_pool(own.device);
  runtime::Commands nothing(own.device, pool.get());
  nothing.end();
  const double submit =
      median_of([&] { own.timeline.wait(own.timeline.submit(nothing.get()), std::chrono::seconds(10)); });
  const double reading = median_of([&] { context->buffer(y).read(view, box); });
  std::cout << "a row of 16 KiB: " << 1e6 * reading << " us, an empty submit: " << 1e6 * submit << " us\n";
  EXPECT_LE(reading, 3 * submit);
}

TEST_F(ResidencyOnDevice, BoxesOfMoreStretchesThanOneCopyHasMoveAsWell) {
  const auto gpu = executor(Staging::always);
  const ir::TensorType type{DType::i16, {3000, 3}};
  ir::Buffer buffer = gpu->allocate(type);
  const Tensor column = tests::noise({DType::i16, {2999, 1}}, 3);
  const ir::Box box{{1, 1}, {2999, 1}};
  buffer.write(column, box);
  EXPECT_TRUE(tests::same_bytes(read(buffer, box), column));
  const Tensor all = read(buffer);
  for (std::size_t i = 0; i < 9000; ++i)
    EXPECT_EQ(all.as<std::int16_t>()[i], i % 3 == 1 && i > 3 ? column.as<std::int16_t>()[i / 3 - 1] : 0) << i;
  ir::Buffer other = gpu->allocate({DType::i16, {2999, 5}});
  other.copy_from(buffer, box, {{0, 4}, {2999, 1}});
  EXPECT_TRUE(tests::same_bytes(read(other, {{0, 4}, {2999, 1}}), column));
  buffer.copy_from(buffer, {{0, 1}, {3000, 1}}, {{0, 0}, {3000, 1}});
  EXPECT_TRUE(tests::same_bytes(read(buffer, {{1, 0}, {2999, 1}}), column));
}

TEST_F(ResidencyOnDevice, WhatIsLargerThanStagingMemoryGoesInPieces) {
  const auto gpu = executor(Staging::always);
  const Tensor large = tests::noise({DType::u8, {9, 5'000'003}}, 3);
  ir::Buffer buffer = buffer_of(*gpu, large), other = gpu->allocate(large.type());
  other.copy_from(buffer, {{1, 0}, {8, 5'000'003}}, {{0, 0}, {8, 5'000'003}});
  other.copy_from(buffer, {{0, 0}, {1, 5'000'003}}, {{8, 0}, {1, 5'000'003}});
  const Tensor found = read(other);
  EXPECT_TRUE(std::ranges::equal(found.bytes().first(8 * 5'000'003), large.bytes().subspan(5'000'003)));
  EXPECT_TRUE(std::ranges::equal(found.bytes().subspan(8 * 5'000'003), large.bytes().first(5'000'003)));
}

/// Runs that read what others write, submitted without a wait between them.
TEST_F(ResidencyOnDevice, RunsInFlightSeeWhatEarlierOnesWrote) {
  for (const Staging staging : both_ways) {
    const auto gpu = executor(staging);
    ir::Graph graph;
    const ir::TensorType type{DType::i32, {257, 33}};
    const Value x = graph.input("x", type), one = graph.input("one", type);
    const Value y = graph.add("y", ir::ops::Binary{ir::ops::BinaryFunction::add}, {x, one});
    const Value twice = graph.add("twice", ir::ops::Binary{ir::ops::BinaryFunction::add}, {y, y});
    Tensor ones(type);
    std::ranges::fill(ones.as<std::int32_t>(), 1);
    const auto executable = gpu->compile(graph, {}, {{twice}});
    const auto there = executable->context(), back = executable->context();
    const ir::Buffer p = gpu->allocate(type), q = gpu->allocate(type), step = buffer_of(*gpu, ones);
    ir::Buffer seen = gpu->allocate(type);
    for (const auto& [context, from, to] : {std::tuple{there.get(), &p, &q}, std::tuple{back.get(), &q, &p}}) {
      context->bind(x, *from);
      context->bind(one, step);
      context->bind_result(twice, *to);
    }
    std::int32_t expected = 0;
    std::optional<ir::Fence> last;
    for (int i = 0; i < 5; ++i) {
      there->submit();
      last = back->submit();
      expected = ((expected + 1) * 2 + 1) * 2;
      if (i == 2) seen.copy_from(p);
    }
    EXPECT_TRUE(last->wait(60));
    EXPECT_TRUE(last->ready());
    last->get();
    const Tensor found = read(p), before = read(seen);
    for (const std::int32_t value : found.as<std::int32_t>()) ASSERT_EQ(value, expected);
    for (const std::int32_t value : before.as<std::int32_t>()) ASSERT_EQ(value, 126);  // three times
  }
}

TEST_F(ResidencyOnDevice, RunsThatShareNothingAreNotKeptApart) {
  const testing::Sample sample;
  const auto gpu = executor(Staging::automatic);
  const auto executable = gpu->compile(sample.graph, sample.params, {{sample.y}});
  const auto a = executable->context(), b = executable->context();
  const ir::Tensors first = executable->run(sample.inputs(1)), second = executable->run(sample.inputs(2));
  std::vector<ir::Fence> fences;
  for (int i = 0; i < 3; ++i) {
    fences.push_back(a->submit(sample.inputs(1)));
    fences.push_back(b->submit(sample.inputs(2)));
  }
  for (const ir::Fence& fence : fences) fence.get();
  plumb::testing::expect_results(*a, first, sample.graph);
  plumb::testing::expect_results(*b, second, sample.graph);
}

TEST_F(ResidencyOnDevice, EveryKindOfResultIsThere) {
  const testing::Sample sample;
  ir::Capture all;
  for (Value v = 0; v < sample.graph.value_count(); ++v) all.wanted.push_back(v);
  for (const Staging staging : both_ways) {
    const auto executable = executor(staging)->compile(sample.graph, sample.params, all);
    const auto context = executable->context();
    context->submit(sample.feeds).get();
    plumb::testing::expect_results(*context, executable->run(sample.feeds), sample.graph);
  }
}

TEST_F(ResidencyOnDevice, AContextAndABufferOutliveTheirExecutor) {
  const testing::Sample sample;
  std::unique_ptr<ir::Context> context;
  std::optional<ir::Buffer> buffer;
  ir::Tensors expected;
  {
    const auto gpu = executor(Staging::always);
    const auto executable = gpu->compile(sample.graph, sample.params, {{sample.y}});
    context = executable->context();
    expected = executable->run(sample.feeds);
    buffer = gpu->allocate(sample.graph.type(sample.y));
  }
  context->bind_result(sample.y, *buffer);
  context->submit(sample.feeds).get();
  EXPECT_TRUE(tests::same_bytes(read(*buffer), expected.at(sample.y)));
  context->submit(sample.feeds);
  context.reset();  // while its run is under way
}

TEST_F(ResidencyOnDevice, NodesOnTheHostAndDebugModesRunBetweenCopies) {
  using Options = device::VulkanOptions;
  const States states;
  const std::vector<std::pair<Value, Value>> pairs{{states.sum, states.b}, {states.difference, states.a}};
  for (bool Options::*mode : {&Options::poison, &Options::lifetimes, &Options::step, &Options::redzone}) {
    const auto gpu = executor_with([&](Options& options) { options.*mode = true; });
    plumb::testing::expect_fed_equals_run(*gpu, states.graph, states.feeds, pairs);
    EXPECT_TRUE(gpu->compile(states.graph, {}, {states.graph.results()})->context()->blocks());
  }
  const auto mixed = executor_with([&](Options& options) {
    options.fallback = device::Fallback::allow;
    options.host = std::make_shared<ref_cpu::CpuExecutor>();
    options.max_buffer = 300;
  });
  ir::Graph graph;
  const Value x = graph.input("x", {DType::i32, {3, 7}}), at = graph.input("at", {DType::i64, {3}});
  const Value wide = graph.add("wide", ir::ops::Concat{0}, {x, x, x, x});  // it has 336 bytes
  const Value some = graph.add("some", ir::ops::Gather{0}, {wide, at});
  const Value y = graph.add("y", ir::ops::Binary{ir::ops::BinaryFunction::add}, {some, x});
  graph.returns(y);
  const ir::Feeds feeds{{"x", tests::noise(graph.type(x))}, {"at", plumb::testing::indices_of({3}, {7, 0, 11})}};
  EXPECT_EQ(mixed->compile(graph, {}, {{y}})->nodes()[0].placement, ir::Placement::cpu);
  plumb::testing::expect_contexts_equal_run(*mixed, graph, feeds, feeds);
  plumb::testing::expect_fed_equals_run(*mixed, graph, feeds, {{y, x}});
  EXPECT_TRUE(mixed->compile(graph, {}, {{y}})->context()->blocks());
}

TEST_F(ResidencyOnDevice, ARefusedIndexIsTheFencesErrorAndChangesNothing) {
  for (const Staging staging : both_ways)
    plumb::testing::expect_a_refused_index_changes_nothing(*executor(staging), "node 'y' (tensor_scatter): index 8");
}

TEST_F(ResidencyOnDevice, AnExecutableSaysWhatItKeeps) {
  for (const Staging staging : both_ways) plumb::testing::expect_an_executable_says_what_it_keeps(*executor(staging));
}

TEST_F(ResidencyOnDevice, BucketsKeepWhatAContextRuns) {
  const auto gpu = executor(Staging::automatic);
  const auto make = [](const ir::Extents& extents) {
    ir::Graph graph;
    const Value x = graph.input("x", {DType::f32, {extents.at("n")}});
    graph.returns(graph.add("y", ir::ops::Binary{ir::ops::BinaryFunction::add}, {x, x}));
    return graph;
  };
  ir::Buckets cache(*gpu, make, gpu->hold({}), {}, {.sizes = {{"n", {4, 8}}}, .most = 8, .most_bytes = 1});
  const auto at = [&](std::int64_t n) { return std::weak_ptr(cache.at({{"n", n}}).executable); };
  const std::weak_ptr<ir::Executable> first = at(3);
  auto context = first.lock()->context();
  const ir::Fence fence = context->submit({{"x", Tensor::of<float>({4}, {1, 2, 3, 4})}});
  const std::weak_ptr<ir::Executable> second = at(5);
  EXPECT_FALSE(first.expired());
  EXPECT_EQ(at(4).lock(), first.lock());
  EXPECT_TRUE(second.expired()) << "only what is in use has more bytes than most_bytes";
  fence.get();
  EXPECT_THAT(read(context->buffer(1)).as<float>(), ::testing::ElementsAre(2, 4, 6, 8));
}

TEST_F(ResidencyOnDevice, MisuseIsAnErrorThatSaysWhy) {
  ref_cpu::CpuExecutor cpu;
  const auto gpu = executor(Staging::automatic), another = executor(Staging::automatic);
  plumb::testing::expect_misuse_is_refused(*gpu, cpu);
  plumb::testing::expect_misuse_is_refused(*gpu, *another);
  plumb::testing::expect_misuse_is_refused(cpu, *gpu);
  plumb::testing::expect_conflicts_are_refused(*gpu);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::residency_test

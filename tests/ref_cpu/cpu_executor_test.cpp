#include "ref_cpu/cpu_executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/schema.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/memory_plan.hpp"
#include "ref_cpu/parallel.hpp"
#include "tests/support/cases/movement.hpp"

namespace plumb::ref_cpu::cpu_executor_test {
namespace {

using ir::DType;
using ir::Graph;
using ir::Tensor;
using ir::Value;

TEST(MemoryPlan, AChainNeedsTwoBlocks) {
  std::vector<Lifetime> chain;
  for (std::size_t i = 0; i < 6; ++i) chain.push_back({4096, i, i + 1});
  EXPECT_EQ(plan_memory(chain).bytes, 2u * 4096);
}

TEST(MemoryPlan, BlocksAliveTogetherNeverOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Lifetime> blocks(40);
    for (Lifetime& block : blocks) {
      block = {random() % 1000, random() % 30, 0};
      block.last = block.first + random() % 8;
    }
    const MemoryPlan plan = plan_memory(blocks);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(plan.offsets[i] % 64, 0u);
      EXPECT_LE(plan.offsets[i] + blocks[i].bytes, plan.bytes);
      for (std::size_t j = 0; j < i; ++j) {
        const bool together = blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last;
        const bool apart = plan.offsets[i] + blocks[i].bytes <= plan.offsets[j] ||
                           plan.offsets[j] + blocks[j].bytes <= plan.offsets[i];
        EXPECT_TRUE(!together || apart) << "blocks " << i << " and " << j;
      }
    }
  }
}

/// y = ((x w) w) .. w, with a w that moves every element one place on.
struct Chain {
  Graph graph;
  ir::Feeds feeds;
  std::vector<Value> values;

  explicit Chain(int length) {
    Value y = graph.input("x", {DType::f32, {1, 3}});
    feeds.emplace("x", Tensor::of<float>({1, 3}, {1, 2, 3}));
    const Value w = graph.param("w", {DType::f32, {3, 3}});
    feeds.emplace("w", Tensor::of<float>({3, 3}, {0, 1, 0, 0, 0, 1, 1, 0, 0}));
    values = {y};
    for (int i = 0; i < length; ++i) {
      y = graph.add(ir::cat("y", i), ir::ops::Matmul{}, {y, w});
      values.push_back(y);
    }
    graph.returns(y);
  }
};

std::vector<float> floats(const Tensor& x) { return {x.as<float>().begin(), x.as<float>().end()}; }

TEST(CpuExecutor, ReusedMemoryDoesNotDisturbWhatIsStillRead) {
  const Chain chain(7);
  CpuExecutor executor;
  const auto last = executor.compile(chain.graph, chain.feeds, {{chain.values.back()}});
  const auto all = executor.compile(chain.graph, chain.feeds, {{}, true});
  for (int run = 0; run < 2; ++run) {
    const auto one = last->run(chain.feeds);
    EXPECT_EQ(one.size(), 1u);
    EXPECT_EQ(floats(one.at(chain.values.back())), (std::vector<float>{3, 1, 2}));
    const auto every = all->run(chain.feeds);
    EXPECT_EQ(every.size(), chain.graph.value_count() - chain.graph.params().size());  // nobody computes these
    EXPECT_EQ(floats(every.at(chain.values[1])), (std::vector<float>{3, 1, 2}));
    EXPECT_EQ(floats(every.at(chain.values[2])), (std::vector<float>{2, 3, 1}));
  }
}

TEST(CpuExecutor, InputsMayChangeBetweenRunsAndParamsStay) {
  Chain chain(1);
  const auto executable = CpuExecutor().compile(chain.graph, chain.feeds, {{chain.values[1]}});
  chain.feeds.at("w") = Tensor({DType::f32, {3, 3}});
  chain.feeds.at("x") = Tensor::of<float>({1, 3}, {5, 6, 7});
  EXPECT_EQ(floats(executable->run(chain.feeds).at(chain.values[1])), (std::vector<float>{7, 5, 6}));
}

TEST(CpuExecutor, HandsBackInputsParamsAndConstantsToo) {
  Graph graph;
  const Value x = graph.input("x", {DType::f32, {2, 0}});
  const Value w = graph.param("w", {DType::f32, {1}});
  ir::ops::Constant five;
  five.dtype = DType::u8;
  five.shape = {1};
  five.data = {std::byte{5}};
  const Value c = graph.add("c", five, {});
  const Value y = graph.add("y", ir::ops::Cast{DType::f32}, {c});
  const ir::Feeds feeds = {{"x", Tensor({DType::f32, {2, 0}})}, {"w", Tensor::of<float>({1}, {3})}};
  const auto results = CpuExecutor().compile(graph, feeds, {{x, w, c, y}})->run(feeds);
  EXPECT_EQ(results.at(x).type(), (ir::TensorType{DType::f32, {2, 0}}));
  EXPECT_EQ(floats(results.at(w)), std::vector<float>{3});
  EXPECT_EQ(results.at(c).as<std::uint8_t>()[0], 5);
  EXPECT_EQ(floats(results.at(y)), std::vector<float>{5});
}

TEST(CpuExecutor, ReportsEveryNodeAndRunsOnlyTheNeeded) {
  const Chain chain(3);
  const auto executable = CpuExecutor().compile(chain.graph, chain.feeds, {{chain.values[2]}});
  executable->run(chain.feeds);
  const auto reports = executable->nodes();
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_TRUE(reports[1].nanoseconds.has_value());
  EXPECT_EQ(reports[2].placement, ir::Placement::elided);
  EXPECT_FALSE(reports[2].nanoseconds.has_value());
}

/// An op that no header of the IR declares, and its kernel.
struct Doubled {
  static constexpr auto name = "doubled";
  static constexpr auto summary = "twice a number";
  static constexpr auto formula = "y = 2x";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {ir::Input{"x", ir::DTypes(DType::f32), "[..]"}};
  static constexpr std::array outputs = {ir::Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{};

  ir::TensorTypes infer(ir::Types in) const { return {in[0]}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::exact; }
  bool operator==(const Doubled&) const = default;
};

void run_doubled(const ir::Op&, Call& call) {
  const auto x = call.in(0).as<float>();
  const auto y = call.out(0).as<float>();
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = 2 * x[i];
}

TEST(CpuExecutor, RunsAnOpThatItWasGivenAKernelFor) {
  CpuExecutor plain, taught({.extra_kernels = {{&ir::schema<Doubled>(), run_doubled}}});
  EXPECT_FALSE(plain.has_kernel(ir::schema<Doubled>()));
  EXPECT_TRUE(taught.has_kernel(ir::schema<Doubled>()));
  const Tensor x = Tensor::of<float>({2}, {3, 4});
  EXPECT_EQ(floats(ir::run_op(taught, Doubled{}, {x}).front()), (std::vector<float>{6, 8}));
  EXPECT_THROW(ir::run_op(plain, Doubled{}, {x}), ir::Unsupported);
}

std::function<void()> during_run;

void run_interrupted(const ir::Op& op, Call& call) {
  during_run();
  run_doubled(op, call);
}

TEST(CpuExecutor, ASecondRunDuringTheFirstIsAsGood) {
  CpuExecutor taught({.extra_kernels = {{&ir::schema<Doubled>(), run_interrupted}}});
  const Tensor x = Tensor::of<float>({2}, {3, 4}), other_x = Tensor::of<float>({2}, {5, 6});
  Graph graph;
  const Value y = graph.add("y", Doubled{}, {graph.input("x", x.type())});
  const Value z = graph.add("z", Doubled{}, {y});  // y lies in memory of the run's
  const auto executable = taught.compile(graph, {}, {{z}});
  const auto bytes = executable->bytes();
  std::vector<float> others;
  std::atomic<int> runs = 0;
  during_run = [&] {
    if (++runs > 1) return;
    std::thread other([&] { others = floats(executable->run({{"x", other_x}}).at(z)); });
    other.join();
  };
  EXPECT_EQ(floats(executable->run({{"x", x}}).at(z)), (std::vector<float>{12, 16}));
  EXPECT_EQ(others, (std::vector<float>{20, 24}));
  EXPECT_GT(executable->bytes(), bytes) << "it keeps the memory of two runs";
  during_run = [] { ir::fail("a fault of the kernel"); };
  EXPECT_THROW(executable->run({{"x", x}}), ir::Error);
  during_run = [] {};
  EXPECT_EQ(floats(executable->run({{"x", x}}).at(z)), (std::vector<float>{12, 16}));
}

TEST(CpuExecutor, WritesOverTheResultsOfAnEarlierRun) {
  const Chain chain(3);
  const Value w = *chain.graph.find("w");
  const auto executable = CpuExecutor().compile(chain.graph, chain.feeds, {{chain.values[2], w, 0}});
  const ir::Tensors expected = executable->run(chain.feeds);
  ir::Tensors results;
  results.emplace(chain.values[1], Tensor({DType::f32, {1}}));     // no result of it
  results.emplace(chain.values[2], Tensor({DType::f32, {1, 2}}));  // has another type
  const std::byte* place = nullptr;
  for (int run = 0; run < 3; ++run) {
    executable->run_into(chain.feeds, results);
    ASSERT_EQ(results.size(), expected.size());
    for (const auto& [value, tensor] : expected) EXPECT_TRUE(tests::same_bytes(results.at(value), tensor));
    const std::byte* const now = results.at(chain.values[2]).bytes().data();
    EXPECT_TRUE(place == nullptr || place == now);
    place = now;
    std::ranges::fill(results.at(chain.values[2]).bytes(), std::byte{0xff});
  }
}

TEST(CpuExecutor, RunsOneOpAloneWithParamsAmongItsOperands) {
  const Tensor a = Tensor::of<float>({1, 2}, {1, 2}), b = Tensor::of<float>({2, 1}, {3, 4});
  const ir::Graph graph =
      ir::graph_of(ir::ops::Matmul{}, ir::TensorTypes{a.type(), b.type()}, "product", {true, false});
  EXPECT_EQ(graph.params(), std::vector<std::string>{"x0"});
  EXPECT_EQ(graph.inputs(), std::vector<std::string>{"x1"});
  CpuExecutor cpu;
  const ir::OpRun made = ir::run_op_with_report(cpu, ir::ops::Matmul{}, {a, b}, "product", {true, false});
  EXPECT_EQ(floats(made.outputs.front()), std::vector<float>{11});
  EXPECT_EQ(made.report.kernel, "ref_cpu");
}

TEST(CpuExecutor, NamesWhatWasNotFed) {
  const Chain chain(1);
  const auto compile = [&](const ir::Feeds& feeds) { return CpuExecutor().compile(chain.graph, feeds, {{2}}); };
  EXPECT_THROW(
      {
        try {
          compile({});
        } catch (const ir::Error& error) {
          EXPECT_STREQ(error.what(), "param 'w' was not fed");
          throw;
        }
      },
      ir::Error);
  ir::Feeds wrong = chain.feeds;
  wrong.at("x") = Tensor({DType::f32, {3}});
  EXPECT_THROW(compile(chain.feeds)->run(wrong), ir::Error);
}

TEST(Parallel, RunsOnAsManyThreadsAsAsked) {
  // Seven tasks that wait for each other end only when seven threads run them.
  std::atomic<int> waiting = 0, met = 0;
  ThreadTeam().run(7, [&] {
    parallel_for(7, 1, [&](std::int64_t, std::int64_t) {
      ++waiting;
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (waiting < 7 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
      if (std::chrono::steady_clock::now() < deadline) ++met;
    });
  });
  EXPECT_EQ(met, 7);
}

TEST(Parallel, ChunksDependOnTheCountAndTheGrainOnly) {
  const auto chunks = [](int threads) {
    std::mutex mutex;
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    ThreadTeam().run(threads, [&] {
      parallel_for(1001, 64, [&](std::int64_t begin, std::int64_t end) {
        const std::lock_guard lock(mutex);
        found.emplace_back(begin, end);
      });
    });
    std::ranges::sort(found);
    return found;
  };
  EXPECT_EQ(chunks(1).size(), 16u);
  EXPECT_EQ(chunks(1), chunks(5));
}

}  // namespace
}  // namespace plumb::ref_cpu::cpu_executor_test

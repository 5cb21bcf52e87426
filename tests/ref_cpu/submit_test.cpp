// Runs of the CPU executor that have not ended when `submit` returns.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "ir/formats/graph_file.hpp"
#include "ir/ops/unary.hpp"
#include "ir/raw/threads.hpp"
#include "ir/register_op.hpp"
#include "ir/schema.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "ref_cpu/kernel.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/odd_floats.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::ref_cpu::submit_test {
namespace {

using ir::Buffer;
using ir::Tensor;
using ir::Value;
using plumb::testing::buffer_of;
using plumb::testing::read;

/// y = 2 x, once a gate is open.
struct Gated {
  static constexpr auto name = "gated";
  static constexpr auto summary = "twice its input";
  static constexpr auto formula = "y = 2 x";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {ir::Input{"x", ir::DTypes(ir::DType::f32), "[..]"}};
  static constexpr std::array outputs = {ir::Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{};

  ir::TensorTypes infer(ir::Types in) const { return {in[0]}; }
  ir::ErrorClass error_class() const { return ir::ErrorClass::exact; }
  bool operator==(const Gated&) const = default;
};

/// Closed until it is opened, or for as long as no test takes.
class Gate {
 public:
  Gate() : is_open_(open_.get_future()) {}
  void open() { open_.set_value(); }
  /// From another thread, once whoever opens it had time to wait for what is behind the gate.
  std::jthread open_later() {
    return std::jthread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      open();
    });
  }
  void pass() const { EXPECT_EQ(is_open_.wait_for(std::chrono::seconds(60)), std::future_status::ready); }

 private:
  std::promise<void> open_;
  std::shared_future<void> is_open_;
};

std::function<void()> at_the_gate;  // called by each run first

void run_gated(const ir::Op&, Call& call) {
  at_the_gate();
  const auto x = call.in(0).as<float>();
  const auto y = call.out(0).as<float>();
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = 2 * x[i];
}

const CpuOptions gated_options{.extra_kernels = {{&ir::schema<Gated>(), run_gated}}};

Tensor pair(float a, float b) { return Tensor::of<float>({2}, {a, b}); }

class Submitted : public ::testing::Test {
 protected:
  Submitted() {
    at_the_gate = [this] { gate.pass(); };
  }

  std::unique_ptr<ir::Context> context() { return executable->context(); }

  Gate gate;
  ir::Graph graph;
  const Value x = graph.input("x", {ir::DType::f32, {2}}), y = graph.add("y", Gated{}, {x});
  CpuExecutor cpu{gated_options};
  const std::unique_ptr<ir::Executable> executable = cpu.compile(graph, {}, {{y}});
};

TEST_F(Submitted, RunsHaveNotEndedWhenSubmitReturnsAndHaveTheirInputs) {
  const auto one = context();
  EXPECT_FALSE(one->blocks());
  ir::Feeds feeds{{"x", pair(1, 2)}};
  const ir::Fence fence = one->submit(feeds);
  feeds.at("x") = pair(7, 7);
  EXPECT_FALSE(fence.ready());
  EXPECT_FALSE(fence.wait(0.01));
  gate.open();
  EXPECT_TRUE(fence.wait(1e300));
  fence.get();
  EXPECT_TRUE(fence.ready());
  EXPECT_TRUE(tests::same_bytes(read(one->buffer(y)), pair(2, 4)));
}

TEST_F(Submitted, RunsAreInOrderOnOneThreadOfTheExecutors) {
  std::vector<std::thread::id> threads;
  at_the_gate = [&] { threads.push_back(std::this_thread::get_id()); };
  const auto one = context(), other = context();
  Buffer handed_on = cpu.allocate({ir::DType::f32, {2}});
  one->bind_result(y, handed_on);
  other->bind(x, handed_on);
  for (float at = 0; at < 50; ++at) {
    one->submit({{"x", pair(at, 1)}});
    other->submit();
    if (at > 47) {
      EXPECT_TRUE(tests::same_bytes(read(other->buffer(y)), pair(4 * at, 4)));
    }
  }
  ASSERT_EQ(threads.size(), 100u);
  EXPECT_EQ(std::ranges::count(threads, threads.front()), 100);
  EXPECT_NE(threads.front(), std::this_thread::get_id());
}

TEST_F(Submitted, BuffersAreReadWrittenAndCopiedInTheOrderOfTheCalls) {
  const auto one = context();
  Buffer from = buffer_of(cpu, pair(1, 2)), to = cpu.allocate(from.type()), before = cpu.allocate(from.type()),
         behind = cpu.allocate(from.type());
  one->bind(x, from);
  one->bind_result(y, to);
  before.copy_from(to);  // as it is before the run
  const ir::Fence fence = one->submit();
  behind.copy_from(to);
  to.copy_from(before);
  EXPECT_FALSE(fence.ready()) << "a copy has waited";
  {
    const auto later = gate.open_later();
    from.write(pair(9, 9));
    EXPECT_TRUE(fence.ready()) << "what a run reads was written before";
  }
  EXPECT_TRUE(tests::same_bytes(read(behind), pair(2, 4)));
  EXPECT_TRUE(tests::same_bytes(read(to), pair(0, 0)));
  EXPECT_TRUE(tests::same_bytes(read(from), pair(9, 9)));
}

TEST_F(Submitted, WhatARunOnlyReadsIsReadMeanwhile) {
  const auto one = context();
  const Buffer from = buffer_of(cpu, pair(1, 2));
  one->bind(x, from);
  const ir::Fence fence = one->submit();
  EXPECT_TRUE(tests::same_bytes(read(from), pair(1, 2)));
  EXPECT_FALSE(fence.ready());
  gate.open();
}

TEST_F(Submitted, ABusyContextIsWaitedFor) {
  const auto one = context();
  const ir::Fence first = one->submit({{"x", pair(1, 2)}});
  const auto later = gate.open_later();
  const ir::Fence second = one->submit({{"x", pair(3, 4)}});
  EXPECT_TRUE(first.ready());
  second.get();
  EXPECT_TRUE(tests::same_bytes(read(one->buffer(y)), pair(6, 8)));
}

TEST_F(Submitted, ErrorsAreOfTheirOwnFenceAlsoWhereManyAreKept) {
  int runs = 0;
  at_the_gate = [&] { ir::require(++runs % 3 != 0, "run ", runs); };
  const auto one = context(), other = context();
  std::vector<ir::Fence> fences;
  for (int run = 0; run < 30; ++run) fences.push_back((run % 2 == 0 ? one : other)->submit({{"x", pair(1, 2)}}));
  for (int run = 0; run < 30; ++run)
    for (int again = 0; again < 2; ++again)
      EXPECT_EQ(tests::message_of([&] { fences[static_cast<std::size_t>(run)].get(); }),
                run % 3 == 2 ? ir::cat("node 'y' (gated): run ", run + 1) : "");
}

TEST_F(Submitted, MemoryIsKeptUntilTheRunHasEnded) {
  auto one = context();
  std::optional<Buffer> from = buffer_of(cpu, pair(1, 2)), to = cpu.allocate({ir::DType::f32, {2}});
  const std::weak_ptr<ir::Memory> memory = from->memory();
  one->bind(x, *from);
  Buffer copy = cpu.allocate(to->type());
  const ir::Fence fence = one->submit();
  to->copy_from(one->buffer(y));
  copy.copy_from(*to);
  from.reset();
  const auto later = gate.open_later();
  one.reset();
  EXPECT_TRUE(fence.ready());
  EXPECT_TRUE(memory.expired());
  to.reset();
  EXPECT_TRUE(tests::same_bytes(read(copy), pair(2, 4)));
}

TEST_F(Submitted, RunsOfTwoExecutorsThatShareABufferAreInOrder) {
  CpuExecutor second(gated_options);
  const auto one = context(), other = second.compile(graph, {}, {{y}})->context();
  Buffer handed_on = cpu.allocate({ir::DType::f32, {2}});
  one->bind_result(y, handed_on);
  other->bind(x, handed_on);
  one->submit({{"x", pair(1, 2)}});
  const ir::Fence behind = other->submit();
  EXPECT_FALSE(behind.wait(0.01));
  gate.open();
  EXPECT_TRUE(tests::same_bytes(read(other->buffer(y)), pair(4, 8)));
}

TEST_F(Submitted, AParamIsReplacedBehindTheRunsBefore) {
  ir::Graph made;
  const Value w = made.param("w", {ir::DType::f32, {2}}), twice = made.add("y", Gated{}, {w});
  const auto params = cpu.hold({{"w", pair(1, 2)}});
  const auto of_params = cpu.compile(made, params, ir::CompileOptions{{{twice}}, {"*"}});
  const auto one = of_params->context(), other = of_params->context();
  const ir::Fence fence = one->submit();
  {
    const auto later = gate.open_later();
    params->set("w", pair(3, 4));
    EXPECT_TRUE(fence.ready());
  }
  other->submit();
  EXPECT_TRUE(tests::same_bytes(read(one->buffer(twice)), pair(2, 4)));
  EXPECT_TRUE(tests::same_bytes(read(other->buffer(twice)), pair(6, 8)));
}

TEST_F(Submitted, ASecondThreadInAContextIsRefused) {
  const auto one = context();
  one->submit({{"x", pair(1, 2)}});
  const auto submit = [&] { one->submit({{"x", pair(3, 4)}}); };  // waits for the run
  const std::jthread first([&] {
    while (!tests::message_of(submit).empty()) std::this_thread::yield();
  });
  std::string said;
  for (int i = 0; i < 2000 && said.empty(); ++i) {
    said = tests::message_of([&] { one->buffer(y); });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_THAT(said, ::testing::StartsWith("run by two threads at once"));
  gate.open();
}

TEST_F(Submitted, RunsHaveTheThreadsAndTheFloatsThatTheyWouldHaveHere) {
  const tests::OddFloats odd;
  int limit = 0;
  bool is_usual = false;
  at_the_gate = [&] {
    limit = ir::raw::thread_limit();
    is_usual = tests::has_usual_floats();
  };
  const auto one = context();
  {
    const ir::raw::ThreadLimit three(3);
    one->submit({{"x", pair(1, 2)}}).get();
  }
  EXPECT_EQ(limit, 3);
  EXPECT_TRUE(is_usual);
  one->submit({{"x", pair(1, 2)}}).get();
  EXPECT_EQ(limit, 0);
}

std::ptrdiff_t threads_of_the_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

/// The kernel takes a moment to forget a thread that has ended.
void expect_threads(std::ptrdiff_t count) {
  for (int i = 0; i < 2000 && threads_of_the_process() != count; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(threads_of_the_process(), count);
}

TEST(SubmittingThread, IsThereFromTheFirstSubmitToTheEndOfTheExecutor) {
  at_the_gate = [] {};
  std::thread([] {}).join();  // ThreadSanitizer starts one of its own beside the first
  const auto before = threads_of_the_process();
  std::optional<Buffer> buffer;
  {
    CpuExecutor cpu({.threads = 1, .extra_kernels = gated_options.extra_kernels});
    ir::Graph graph;
    const Value y = graph.add("y", Gated{}, {graph.input("x", {ir::DType::f32, {2}})});
    const auto executable = cpu.compile(graph, {}, {{y}});
    const auto one = executable->context(), other = executable->context();
    executable->run({{"x", pair(1, 2)}});
    EXPECT_EQ(threads_of_the_process(), before);
    one->submit({{"x", pair(1, 2)}}).get();
    other->submit({{"x", pair(1, 2)}}).get();
    expect_threads(before + 1);
    buffer = one->buffer(y);
  }
  expect_threads(before);
  EXPECT_TRUE(tests::same_bytes(read(*buffer), pair(2, 4)));
}

/// The code of a registered op may use whatever the caller holds, so that it is called where the caller is.
TEST(SubmittedOps, OfACallersOwnRunBeforeSubmitReturns) {
  static std::thread::id ran_on;  // since the op stays registered
  ir::register_op({"test.submitted",
                   R"({"inputs": [{"name": "x", "dtypes": ["f32"]}], "outputs": [{"name": "y", "type": "as x"}]})",
                   "",
                   {.cpu =
                        [](const ir::RegisteredOp&, auto in, auto out) {
                          ran_on = std::this_thread::get_id();
                          std::ranges::copy(in[0].bytes(), out[0].bytes().begin());
                        },
                    .bounds = [](const ir::RegisteredOp&, double, auto, auto) {}}});
  const auto file = ir::formats::parse_graph(R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"label": "y", "op": "test.submitted", "inputs": ["x"]}], "results": ["y"]})",
                                             ".");
  CpuExecutor cpu;
  const auto context = cpu.compile(file.graph, {}, {file.graph.results()})->context();
  EXPECT_TRUE(context->blocks());
  EXPECT_TRUE(context->submit({{"x", pair(1, 2)}}).ready());
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_TRUE(tests::same_bytes(read(context->buffer(file.graph.results()[0])), pair(1, 2)));
}

}  // namespace
}  // namespace plumb::ref_cpu::submit_test

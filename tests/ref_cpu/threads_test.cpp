// Threads that use one CPU executor, with executables and contexts of their own, and with shared ones.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "ir/formats/graph_file.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::ref_cpu::threads_test {
namespace {

using ir::Value;

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
          const auto is_equal = [&](Value v) { return tests::same_bytes(made.at(v), alone[t].at(v)); };
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

/// Feeds of a thread, and what comes of them.
struct Own {
  Own(const ir::formats::GraphFile& file, CpuExecutor& cpu, const ir::Feeds& params, std::uint64_t seed) {
    inputs = plumb::testing::part_of(ir::formats::materialise(file, seed), file.graph.inputs());
    ir::Feeds all = inputs;
    all.insert(params.begin(), params.end());
    results = cpu.run(file.graph, all, file.graph.results());
  }
  ir::Feeds inputs;
  ir::Tensors results;
};

std::vector<Own> own_of_each(const ir::formats::GraphFile& file, CpuExecutor& cpu, const ir::Feeds& params,
                             std::uint64_t count) {
  std::vector<Own> all;
  for (std::uint64_t seed = 1; seed <= count; ++seed) all.emplace_back(file, cpu, params, seed);
  return all;
}

TEST(CpuThreads, ThatShareAnExecutableByRunGetTheBitsOfOneAlone) {
  const auto file = ir::formats::parse_graph(text, ".");
  CpuExecutor cpu;
  const ir::Feeds params = plumb::testing::part_of(ir::formats::materialise(file, 1), file.graph.params());
  const std::vector<Own> own = own_of_each(file, cpu, params, 8);
  const auto executable = cpu.compile(file.graph, params, {file.graph.results()});
  std::atomic<int> equal = 0, refused = 0;
  const auto act = [&](const Own& mine) {
    ir::Feeds wrong = mine.inputs;
    wrong.at("x") = ir::Tensor({ir::DType::f32, {1}});
    ir::Tensors results;
    for (int run = 0; run < 125; ++run) {
      executable->run_into(mine.inputs, results);
      equal += std::ranges::equal(results, mine.results, [](const auto& a, const auto& b) {
        return a.first == b.first && tests::same_bytes(a.second, b.second);
      });
      refused += tests::message_of([&] { executable->run(wrong); }).empty() ? 0 : 1;
      if (run % 25 == 0) {
        EXPECT_TRUE(executable->nodes().front().nanoseconds.has_value());
      }
    }
  };
  {
    std::vector<std::jthread> all;
    for (const Own& mine : own) all.emplace_back(act, std::cref(mine));
  }
  EXPECT_EQ(equal, 8 * 125);
  EXPECT_EQ(refused, 8 * 125);
}

/// A context whose index is out of range in every third run.
constexpr auto gathers = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[5, 7]"}, "at": {"type": "i64[2]",
  "values": [0, 4]}}, "params": {"w": {"type": "f32[7, 3]"}}, "nodes": [
  {"label": "rows", "op": "gather", "axis": 0, "inputs": ["x", "at"]},
  {"label": "y", "op": "matmul", "inputs": ["rows", "w"]}], "results": ["y"]})";

TEST(CpuThreads, ThatSubmitToSixteenContextsGetTheBitsOfOneAlone) {
  constexpr std::uint64_t threads = 4;
  constexpr int rounds = 625;  // 10 000 submits
  const auto file = ir::formats::parse_graph(gathers, ".");
  CpuExecutor cpu;
  const ir::Feeds params = plumb::testing::part_of(ir::formats::materialise(file, 1), file.graph.params());
  const std::vector<Own> own = own_of_each(file, cpu, params, 4 * threads);
  const auto held = cpu.hold(params);
  const auto executable = cpu.compile(file.graph, held, ir::CompileOptions{{file.graph.results()}});
  std::atomic<int> equal = 0, refused = 0;
  const auto act = [&](std::span<const Own> mine) {
    const auto another = cpu.compile(file.graph, held, ir::CompileOptions{{file.graph.results()}});
    EXPECT_EQ(another->identity(), executable->identity());
    std::vector<std::unique_ptr<ir::Context>> contexts;
    for (std::size_t c = 0; c < mine.size(); ++c) contexts.push_back(executable->context());
    for (int round = 0; round < rounds; ++round) {
      const bool is_bad = round % 3 == 2;
      std::vector<ir::Fence> fences;
      for (std::size_t c = 0; c < mine.size(); ++c) {
        ir::Feeds inputs = mine[c].inputs;
        if (is_bad) inputs.at("at").as<std::int64_t>()[1] = 5;
        fences.push_back(contexts[c]->submit(inputs));
      }
      for (std::size_t c = 0; c < mine.size(); ++c) {
        const bool was_refused = !tests::message_of([&] { fences[c].get(); }).empty();
        refused += was_refused ? 1 : 0;
        const Value y = file.graph.results().front();
        const bool is_equal = tests::same_bytes(plumb::testing::read(contexts[c]->buffer(y)), mine[c].results.at(y));
        equal += !was_refused && is_equal ? 1 : 0;
      }
    }
  };
  {
    std::vector<std::jthread> all;
    for (std::size_t t = 0; t < threads; ++t) all.emplace_back(act, std::span(own).subspan(4 * t, 4));
  }
  EXPECT_EQ(refused, 16 * (rounds / 3));
  EXPECT_EQ(equal, 16 * (rounds - rounds / 3));
}

/// A param is replaced while threads compile with it and run: a run has one of its values, and not a part of each.
TEST(CpuThreads, OfWhichOneSetsAParamSeeItsOldValueOrItsNewOne) {
  constexpr int rounds = 100;
  const auto file = ir::formats::parse_graph(gathers, ".");
  CpuExecutor cpu;
  std::vector<ir::Feeds> params;
  std::vector<ir::Tensor> expected;
  const ir::Feeds inputs = plumb::testing::part_of(ir::formats::materialise(file, 1), file.graph.inputs());
  const Value y = file.graph.results().front();
  for (const std::uint64_t seed : {1u, 2u}) {
    params.push_back(plumb::testing::part_of(ir::formats::materialise(file, seed), file.graph.params()));
    expected.push_back(cpu.compile(file.graph, params.back(), {{y}})->run(inputs).at(y));
  }
  ASSERT_FALSE(tests::same_bytes(expected[0], expected[1]));
  const auto held = cpu.hold(params[0]);
  const ir::CompileOptions replaceable{{file.graph.results()}, {"w"}};
  std::atomic<int> right = 0;
  const auto act = [&] {
    const auto is_right = [&](const ir::Tensor& made) {
      return tests::same_bytes(made, expected[0]) || tests::same_bytes(made, expected[1]);
    };
    for (int round = 0; round < rounds; ++round) {
      const auto executable = cpu.compile(file.graph, held, replaceable);
      const auto context = executable->context();
      context->submit(inputs).get();
      right += is_right(executable->run(inputs).at(y)) ? 1 : 0;
      right += is_right(plumb::testing::read(context->buffer(y))) ? 1 : 0;
    }
  };
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < 3; ++t) all.emplace_back(act);
    for (int round = 0; round < rounds; ++round) held->set("w", params[static_cast<std::size_t>(round % 2)].at("w"));
  }
  EXPECT_EQ(right, 3 * 2 * rounds);
  held->set("w", params[1].at("w"));
  EXPECT_TRUE(tests::same_bytes(cpu.compile(file.graph, held, replaceable)->run(inputs).at(y), expected[1]));
}

}  // namespace
}  // namespace plumb::ref_cpu::threads_test

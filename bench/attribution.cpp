// The cost of attribution: all that verify does on the host except the one plain run of the widened graph,
// which computes the truth. The candidate hands back results that it computed before, so that its own time
// does not count. docs/attribution.md has the results.
//
//   plumb_bench --benchmark_filter=attribution/

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <limits>

#include "bench/fixtures.hpp"
#include "ir/passes/widen.hpp"
#include "library/reference.hpp"
#include "parity/core/parallel.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::bench {
namespace {

/// On the wall, and of all cores together: the first is what a user waits for, the second does not depend on what else
/// the machine does.
struct Seconds {
  double wall = std::numeric_limits<double>::infinity(), processor = wall;
};

Seconds seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC};
}

Seconds least(const Seconds& a, const Seconds& b) {
  return {std::min(a.wall, b.wall), std::min(a.processor, b.processor)};
}

/// An executor that has run already.
class Replay final : public ir::Executor {
 public:
  Replay(const ir::Graph& graph, const ir::Feeds& feeds) {
    const auto executable = ref_cpu::CpuExecutor().compile(graph, feeds, {graph.results(), true});
    values_ = executable->run(feeds);
    reports_ = executable->nodes();
    for (ir::NodeReport& report : reports_) report.placement = ir::Placement::gpu;
  }

  /// Before each run, whose time this is not.
  void make_ready() { ready_ = values_; }

  std::string_view name() const override { return "replay"; }
  bool has_kernel(const ir::OpSchema&) const override { return true; }
  std::unique_ptr<ir::Executable> compile(const ir::Graph&, const ir::Feeds&, const ir::Capture&) override {
    return std::make_unique<Program>(*this);
  }

 private:
  class Program final : public ir::Executable {
   public:
    explicit Program(Replay& replay) : replay_(replay) {}
    ir::Tensors run(const ir::Feeds&) override { return std::move(replay_.ready_); }
    std::vector<ir::NodeReport> nodes() const override { return replay_.reports_; }

   private:
    Replay& replay_;
  };

  ir::Tensors values_, ready_;
  std::vector<ir::NodeReport> reports_;
};

std::filesystem::path graph_path(const std::string& name) {
  return source_folder() / "fixtures/graphs" / (name + ".json");
}

/// Both in turn, the best of each. `threads`: 0 takes one for every core.
void attribution(benchmark::State& state, const std::string& name, int threads) {
  const parity::core::ThreadLimit limit(threads);
  const parity::verify::VerifyOptions options;
  const parity::cases::Case subject = parity::verify::load_case(graph_path(name), {});
  const ir::Graph& graph = subject.file->graph;
  Replay replay(graph, subject.feeds);
  ref_cpu::CpuExecutor reference = library::reference_executor();
  const ir::Graph wide = ir::passes::widen(graph);
  ir::Feeds wide_feeds;
  for (const auto& [source, tensor] : subject.feeds) wide_feeds.emplace(source, ir::passes::widen(tensor));
  const auto plain_run = reference.compile(wide, wide_feeds, {graph.results()});
  parity::cases::Observer nobody;
  Seconds plain, whole;
  for ([[maybe_unused]] auto _ : state) {
    plain = least(plain, seconds_of([&] { benchmark::DoNotOptimize(plain_run->run(wide_feeds)); }));
    replay.make_ready();
    const Seconds seconds = seconds_of([&] {
      benchmark::DoNotOptimize(verify(subject, {.reference = reference, .candidate = &replay}, options, nobody));
    });
    whole = least(whole, seconds);
    state.SetIterationTime(seconds.wall);
  }
  state.counters["plain_ms"] = 1e3 * plain.wall;
  state.counters["verify_ms"] = 1e3 * whole.wall;
  state.counters["ratio"] = whole.wall / plain.wall;
  state.counters["plain_processor_ms"] = 1e3 * plain.processor;
  state.counters["verify_processor_ms"] = 1e3 * whole.processor;
  state.counters["processor_ratio"] = whole.processor / plain.processor;
}

const auto registered = [] {
  for (const std::string name : {"bert_tiny", "eeg_encoder", "bert_base"})
    for (const int threads : {0, 1, 2, 4, 8, 16})
      benchmark::RegisterBenchmark(
          fmt::format("attribution/{}/{}", name, threads == 0 ? "all_cores" : fmt::format("threads_{}", threads))
              .c_str(),
          [name, threads](benchmark::State& state) { attribution(state, name, threads); })
          ->UseManualTime()
          ->Iterations(name == "bert_base" ? 2 : 10)
          ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace plumb::bench

#include "bench/fixture_bench.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>

#include "ir/cost.hpp"
#include "ir/formats/graph_file.hpp"

namespace plumb::bench {
namespace {

/// The work of one run of a graph.
struct Work {
  double flops = 0, bytes = 0;
};

Work work_of(const ir::Graph& graph) {
  Work work;
  for (const ir::Node& node : graph.nodes()) {
    work.flops += ir::cost_of(graph, node).flops;
    work.bytes += static_cast<double>(ir::bytes_of(graph, node));
  }
  return work;
}

/// The times that the executor measured itself, of all nodes of the last run.
double node_seconds(const ir::Executable& executable) {
  double seconds = 0;
  for (const ir::NodeReport& node : executable.nodes())
    seconds += 1e-9 * static_cast<double>(node.nanoseconds.value_or(0));
  return seconds;
}

void run_fixture(benchmark::State& state, const std::filesystem::path& path, ir::Executor& executor) try {
  const ir::formats::GraphFile file = ir::formats::read_graph(path);
  const ir::Feeds feeds = ir::formats::materialise(file, 0);
  const auto executable = executor.compile(file.graph, feeds, {file.graph.results()});
  executable->run(feeds);  // whatever is done once is done here

  double seconds = 0;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(executable->run(feeds));
    state.PauseTiming();
    seconds += node_seconds(*executable);
    state.ResumeTiming();
  }
  using benchmark::Counter;
  const Work work = work_of(file.graph);
  state.counters["bytes_per_second"] = Counter(work.bytes, Counter::kIsIterationInvariantRate);
  state.counters["flops"] = Counter(work.flops, Counter::kIsIterationInvariantRate);
  if (seconds == 0) return;  // the executor measures no nodes
  const double runs = static_cast<double>(state.iterations());
  state.counters["nodes_us"] = 1e6 * seconds / runs;
  state.counters["nodes_bytes_per_second"] = work.bytes * runs / seconds;
  state.counters["nodes_flops"] = work.flops * runs / seconds;
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

std::vector<std::filesystem::path> graph_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

void register_fixtures(const std::filesystem::path& folder, const std::string& group,
                       const std::vector<Candidate>& candidates) {
  for (const Candidate& candidate : candidates)
    for (const auto& path : graph_files(folder)) {
      const auto place = std::filesystem::relative(path, folder).replace_extension();
      benchmark::RegisterBenchmark(
          (candidate.name + "/" + group + place.generic_string()).c_str(),
          [path, executor = candidate.executor](benchmark::State& state) { run_fixture(state, path, *executor); })
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
    }
}

}  // namespace plumb::bench

// Is the CPU executor as fast as a host fallback must be? Models against the time in which
// Eigen's own product would do the same arithmetic: both with two threads, measured in
// turn, the best of each. docs/performance.md has the results.
//
//   plumb_bench --benchmark_filter=cpu/.*_by_eigen

#include <benchmark/benchmark.h>

#define EIGEN_DONT_PARALLELIZE  // the threads are ours
#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <string_view>
#include <thread>

#include "bench/fixtures.hpp"
#include "ir/cost.hpp"
#include "ir/formats/graph_file.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::bench {
namespace {

constexpr int threads = 2;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Eigen's f32 product of 2048^3, half of the columns on each of two threads.
class EigenProduct {
 public:
  static constexpr int n = 2048;

  double run() {
    return seconds_of([this] {
      const auto half = [this](int first) { y_.middleCols(first, n / 2).noalias() = a_ * b_.middleCols(first, n / 2); };
      std::thread other(half, n / 2);
      half(0);
      other.join();
    });
  }
  static constexpr double flops() { return 2.0 * n * n * n; }

 private:
  Eigen::MatrixXf a_ = Eigen::MatrixXf::Random(n, n), b_ = Eigen::MatrixXf::Random(n, n), y_{n, n};
};

double flops_of_products(const ir::Graph& graph) {
  double flops = 0;
  for (const ir::Node& node : graph.nodes()) {
    const ir::Cost cost = ir::cost_of(graph, node);
    constexpr std::string_view products[] = {"matmul", "gemm", "attention", "conv"};
    if (cost.contraction > 1 && std::ranges::find(products, node.op.name()) != std::end(products)) flops += cost.flops;
  }
  return flops;
}

/// Keeps the least time of each op's nodes together.
void note_times(const ir::Graph& graph, const ir::Executable& run, std::map<std::string, double>& best) {
  std::map<std::string, double> now;
  const auto reports = run.nodes();
  for (std::size_t n = 0; n < reports.size(); ++n)
    now[std::string(graph.nodes()[n].op.name())] += 1e-6 * static_cast<double>(reports[n].nanoseconds.value_or(0));
  for (const auto& [op, ms] : now) best[op] = best.contains(op) ? std::min(best[op], ms) : ms;
}

void by_eigen(benchmark::State& state, const char* name) {
  const ir::formats::GraphFile file = ir::formats::read_graph(source_folder() / "fixtures/graphs" / name);
  const ir::Feeds feeds = ir::formats::materialise(file, 0);
  const auto executable = ref_cpu::CpuExecutor({threads}).compile(file.graph, feeds, {file.graph.results()});
  EigenProduct product;
  double model = std::numeric_limits<double>::infinity(), square = model;
  std::map<std::string, double> by_op;
  for ([[maybe_unused]] auto _ : state) {
    const double seconds = seconds_of([&] { benchmark::DoNotOptimize(executable->run(feeds)); });
    state.SetIterationTime(seconds);
    model = std::min(model, seconds);
    square = std::min(square, product.run());
    note_times(file.graph, *executable, by_op);
  }
  const double flops = flops_of_products(file.graph), rate = EigenProduct::flops() / square;
  state.counters["model_ms"] = 1e3 * model;
  state.counters["product_gflops"] = flops / 1e9;
  state.counters["eigen_gflops_per_s"] = rate / 1e9;
  state.counters["ratio"] = model / (flops / rate);
  for (const auto& [op, ms] : by_op) state.counters[op + "_ms"] = ms;
}

const auto registered = [] {
  const auto add = [](const char* name, const char* graph) {
    return benchmark::RegisterBenchmark(name, by_eigen, graph)
        ->UseManualTime()
        ->Iterations(20)
        ->Unit(benchmark::kMillisecond);
  };
  add("cpu/resnet18_by_eigen", "resnet18.json");
  return add("cpu/bert_base_by_eigen", "bert_base.json");
}();

}  // namespace
}  // namespace plumb::bench

// Are the CPU executor's transforms as fast as FFTW called directly, and our own within 3 times that (ops.md I)?
// Lines of complex f32, one thread, measured in turn, the best of each. docs/performance.md has the results.
//
//   plumb_bench --benchmark_filter=cpu/fft_by_fftw

#ifdef PLUMB_HAS_FFTW

#include <benchmark/benchmark.h>
#include <fftw3.h>

#include <chrono>
#include <limits>

#include "ir/executor.hpp"
#include "ir/fill.hpp"
#include "ir/ops/fft.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "ref_cpu/transforms/plan.hpp"

namespace plumb::bench {
namespace {

/// FFTW's own plan for all lines at once, as a program of its users has it.
class Direct {
 public:
  Direct(std::int64_t lines, std::int64_t n, const ir::Tensor& x) : y_(x.type()) {
    const int length = static_cast<int>(n);
    plan_ = fftwf_plan_many_dft(1, &length, static_cast<int>(lines), numbers(x), nullptr, 1, length, numbers(y_),
                                nullptr, 1, length, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
  }
  ~Direct() { fftwf_destroy_plan(plan_); }
  Direct(const Direct&) = delete;
  Direct& operator=(const Direct&) = delete;

  void run() { fftwf_execute(plan_); }

 private:
  static fftwf_complex* numbers(const ir::Tensor& x) {
    return reinterpret_cast<fftwf_complex*>(const_cast<std::byte*>(x.bytes().data()));
  }
  ir::Tensor y_;
  fftwf_plan plan_;
};

/// Our own plan, line by line from and to aligned buffers.
class Own {
 public:
  explicit Own(std::int64_t n)
      : plan_(ref_cpu::transforms::own_plan<float>(ref_cpu::transforms::Kind::forward, n)),
        scratch_(static_cast<std::size_t>(plan_->scratch()) * sizeof(float)) {}

  void run(const ir::Tensor& x, ir::Tensor& y, std::int64_t lines, std::int64_t n) {
    auto* const from = reinterpret_cast<float*>(const_cast<std::byte*>(x.bytes().data()));
    auto* const to = reinterpret_cast<float*>(y.bytes().data());
    for (std::int64_t i = 0; i < lines; ++i)
      plan_->run(from + 2 * n * i, to + 2 * n * i, reinterpret_cast<float*>(scratch_.span().data()));
  }

 private:
  std::unique_ptr<const ref_cpu::transforms::Plan<float>> plan_;
  ir::AlignedBytes scratch_;
};

template <class Work>
void note_best(double& best, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void by_fftw(benchmark::State& state) {
  const std::int64_t n = state.range(0), lines = std::max<std::int64_t>((std::int64_t{1} << 19) / n, 1);
  const ir::TensorType type{ir::DType::c64, {lines, n}};
  const ir::Tensor x = ir::fill(type, ir::Fill{}, 1, 1);
  const ir::Graph graph = ir::graph_of(ir::ops::Fft{}, std::span(&type, 1));
  const auto executable = ref_cpu::CpuExecutor({.threads = 1}).compile(graph, {}, {graph.results()});
  Direct direct(lines, n, x);
  Own own(n);
  ir::Tensor y(type);
  double of_executor = std::numeric_limits<double>::infinity(), of_fftw = of_executor, of_own = of_executor;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(executable->run({{graph.inputs().front(), x}}));
    of_executor =
        std::min(of_executor, 1e-9 * static_cast<double>(executable->nodes().front().nanoseconds.value_or(0)));
    note_best(of_fftw, [&] { direct.run(); });
    note_best(of_own, [&] { own.run(x, y, lines, n); });
  }
  const double flops = ir::kernels::fourier_flops(n) * static_cast<double>(lines);
  state.counters["fftw_gflops_per_s"] = flops / of_fftw * 1e-9;
  state.counters["executor_over_fftw"] = of_executor / of_fftw;
  state.counters["own_over_fftw"] = of_own / of_fftw;
}

const auto registered = [] {
  auto* const all = benchmark::RegisterBenchmark("cpu/fft_by_fftw", by_fftw)->Iterations(20);
  for (const std::int64_t n : {64, 256, 1000, 1013, 1024, 4096, 5040, 65536, 524288}) all->Arg(n);
  return all;
}();

}  // namespace
}  // namespace plumb::bench

#endif

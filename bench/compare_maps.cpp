// The cost of a map: comparing 4096 x 4096 elements, whose limits differ, with and without one.
//
//   plumb_bench --benchmark_filter=compare/

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <memory>
#include <vector>

#include "parity/compare/compare.hpp"
#include "parity/core/parallel.hpp"

namespace plumb::bench {
namespace {

constexpr std::int64_t side = 4096;

/// Processor time of both in turn, the best of each, on one thread.
void compare_with_map(benchmark::State& state) {
  using namespace parity;
  const core::ThreadLimit alone(1);
  const ir::Shape shape{side, side};
  ir::Tensor truth({ir::DType::f64, shape}), got({ir::DType::f32, shape}), probable({ir::DType::f64, shape});
  const auto y = truth.as<double>(), limits = probable.as<double>();
  const auto c = got.as<float>();
  std::uint32_t random = 1;
  for (std::size_t i = 0; i < y.size(); ++i) {
    random = random * 1664525 + 1013904223;
    y[i] = static_cast<double>(random) * 0x1p-31 - 1;
    c[i] = static_cast<float>(y[i]);
    limits[i] = 1e-7 * (1 + static_cast<double>(random % 7));
  }
  const compare::Allowed allowed{.rule = compare::Allowed::Rule::within,
                                 .limits = std::make_shared<const compare::Limits>(
                                     compare::Limits{std::move(probable), ir::Tensor({ir::DType::f64, {0}})})};
  const auto seconds = [&](const std::optional<compare::MapExtents>& map) {
    const std::clock_t start = std::clock();
    benchmark::DoNotOptimize(compare::compare(truth, got, allowed, map));
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  double plain = std::numeric_limits<double>::infinity(), mapped = plain;
  for ([[maybe_unused]] auto _ : state) {
    plain = std::min(plain, seconds({}));
    const double one = seconds(compare::MapExtents{side, side});
    mapped = std::min(mapped, one);
    state.SetIterationTime(one);
  }
  state.counters["plain_ms"] = 1e3 * plain;
  state.counters["mapped_ms"] = 1e3 * mapped;
  state.counters["ratio"] = mapped / plain;
}

BENCHMARK(compare_with_map)->Name("compare/4096_with_map")->UseManualTime()->Iterations(20);

}  // namespace
}  // namespace plumb::bench

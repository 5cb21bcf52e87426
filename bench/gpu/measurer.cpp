#include "bench/gpu/measurer.hpp"

#include <algorithm>
#include <chrono>

#include "bench/gpu/values.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/slice.hpp"

namespace plumb::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view probe = "probe";

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The graph with one element of every result as its results: so that all of it is
/// computed, and nothing large comes back to the host.
ir::Graph probed(const ir::Graph& graph) {
  ir::Graph made = graph.sources();
  for (const ir::Node& node : graph.nodes()) made.place(node.label, node.op, node.inputs, node.outputs);
  for (const ir::Value y : graph.results()) {
    ir::ops::Slice first;
    for (std::int64_t axis = 0; axis < graph.type(y).shape.rank(); ++axis) {
      first.axes.push_back(axis);
      first.starts.push_back(0);
      first.sizes.push_back(1);
    }
    made.returns(made.add(ir::cat(probe, y), std::move(first), {y}));
  }
  return made;
}

/// The time of the last run on the device, without the probes.
double gpu_ms(const ir::Graph& graph, const ir::Executable& executable) {
  const auto reports = executable.nodes();
  double ms = 0;
  for (std::size_t n = 0; n < reports.size(); ++n)
    if (!graph.nodes()[n].label.starts_with(probe))
      ms += 1e-6 * static_cast<double>(reports[n].nanoseconds.value_or(0));
  return ms;
}

/// The kernels that run; throws when a node runs elsewhere, or when nothing is left to time.
std::vector<std::string> kernels_of(const ir::Graph& graph, const ir::Executable& executable) {
  const auto reports = executable.nodes();
  std::vector<std::string> kernels;
  bool any = false;
  for (std::size_t n = 0; n < reports.size(); ++n) {
    const ir::NodeReport& report = reports[n];
    const std::string& label = graph.nodes()[n].label;
    ir::require(report.placement != ir::Placement::cpu, "node '", label, "' runs on the host: ", report.reason);
    const bool is_probe = label.starts_with(probe);
    const bool in_probe = report.placement == ir::Placement::fused && report.kernel.starts_with(probe);
    ir::require(!in_probe, "node '", label, "' is computed for the probe alone");
    if (is_probe || report.placement != ir::Placement::gpu) continue;
    any = true;
    const std::string kernel = report.kernel.empty() ? std::string(graph.nodes()[n].op.name()) : report.kernel;
    if (std::ranges::find(kernels, kernel) == kernels.end()) kernels.push_back(kernel);
  }
  ir::require(any, "no node runs on the device");
  return kernels;
}

/// Writes its bytes: what was in the L2 cache is not there any more.
ir::Graph flushing(std::size_t bytes) {
  ir::Graph graph;
  const ir::Value one = graph.param("one", {ir::DType::f32, {1}});
  graph.returns(graph.add("all", ir::ops::Expand{{static_cast<std::int64_t>(bytes / sizeof(float))}}, {one}));
  return probed(graph);
}

}  // namespace

struct Measurer::Times {
  std::vector<double> ms;

  double median() {
    const auto middle = ms.begin() + static_cast<std::ptrdiff_t>(ms.size() / 2);
    std::ranges::nth_element(ms, middle);
    return *middle;
  }
};

std::string Measurer::device() { return with(true, false).executor->facts().name; }

Measurer::Device& Measurer::with(bool timestamps, bool fuse) {
  Device& device = devices_[{timestamps, fuse}];
  if (device.executor != nullptr) return device;
  gpu_vulkan::VulkanOptions options = options_;
  options.timestamps = timestamps;
  options.fuse = fuse;
  auto executor = std::make_unique<gpu_vulkan::VulkanExecutor>(options);
  if (timestamps) {
    if (!executor->facts().timestamps) throw ir::Unsupported(executor->facts().name + " has no timestamps");
    const ir::Graph graph = flushing(flushed_bytes_);
    device.flush = executor->compile(graph, {{"one", ir::Tensor::of<float>({1}, {1})}}, {graph.results()});
    device.flush->run({});
    ir::require(gpu_ms(graph, *device.flush) > 0, "the cache is not flushed: nothing is written");
  }
  device.executor = std::move(executor);
  return device;
}

Measurer::Times Measurer::gpu_times(const Case& one, const ir::Feeds& feeds, std::vector<std::string>& kernels) {
  Device& device = with(true, one.fuse);
  const ir::Graph graph = probed(one.graph);
  const auto executable = device.executor->compile(graph, feeds, {graph.results()});
  kernels = kernels_of(graph, *executable);
  const auto run = [&] {
    if (one.measure == Measure::gpu) device.flush->run({});
    executable->run(feeds);
    return gpu_ms(graph, *executable);
  };
  const auto start = Clock::now();
  double spent = 0;
  for (int warm = 0; warm < 3 || (warm < 20 && spent < effort_.budget_ms / 3); ++warm) spent += run();
  Times times;
  spent = 0;
  while (times.ms.size() < effort_.least_runs ||
         (spent < effort_.budget_ms && times.ms.size() < effort_.most_runs && ms_since(start) < effort_.patience_ms)) {
    times.ms.push_back(run());
    spent += times.ms.back();
  }
  ir::require(std::ranges::min(times.ms) > 0, "no time passed on the device");
  return times;
}

Measurer::Times Measurer::latencies(const Case& one, const ir::Feeds& feeds) {
  const auto executable = with(false, one.fuse).executor->compile(one.graph, feeds, {one.graph.results()});
  const auto run = [&] {
    const auto start = Clock::now();
    executable->run(feeds);
    return ms_since(start);
  };
  double spent = 0;
  for (int warm = 0; warm < 3 || (warm < 1000 && spent < effort_.budget_ms / 3); ++warm) spent += run();
  Times times;
  constexpr std::size_t enough = 10000;  // they are short, and scatter as the host's do
  for (spent = 0; times.ms.size() < effort_.least_runs || (spent < effort_.budget_ms && times.ms.size() < enough);
       spent += times.ms.back())
    times.ms.push_back(run());
  return times;
}

Measured Measurer::measure(const Case& one) {
  const ir::Feeds feeds = values_for(one);
  Measured result;
  Times times;
  if (one.measure != Measure::latency) times = gpu_times(one, feeds, result.kernels);
  if (one.measure == Measure::overhead) result.gpu_ms = times.median();
  if (one.measure != Measure::gpu) times = latencies(one, feeds);
  const double less = result.gpu_ms.value_or(0);
  if (one.measure == Measure::overhead) result.latency_ms = times.median();
  result.ms = times.median() - less;
  result.best_ms = std::ranges::min(times.ms) - less;
  result.worst_ms = std::ranges::max(times.ms) - less;
  result.runs = times.ms.size();
  return result;
}

}  // namespace plumb::bench

// Times benchmark cases: kernels by timestamps behind a flushed L2 cache, latency and overhead by the host's clock.
#include "bench/gpu/measurer.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

#include "bench/gpu/values.hpp"
#include "gpu_vulkan/calibrate/measuring.hpp"
#include "gpu_vulkan/run/run_times.hpp"
#include "ir/ops/expand.hpp"
#include "ir/residency.hpp"

namespace plumb::bench {
namespace {

using Clock = std::chrono::steady_clock;
using gpu_vulkan::device::Timestamps;
using gpu_vulkan::run::RunTimes;

constexpr std::string_view probe = "probe";

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The graph with one element of every result as its results: so that all of it is
/// computed, and nothing large comes back to the host.
ir::Graph probed(const ir::Graph& graph) {
  ir::Graph made = graph.sources();
  for (const ir::Node& node : graph.nodes()) made.place(node.label, node.op, node.inputs, node.outputs);
  for (const ir::Value y : graph.results())
    made.returns(made.add(ir::cat(probe, y), gpu_vulkan::calibrate::first_element(graph.type(y).shape), {y}));
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

/// The op, the kernel that runs it, its first operand and its result: nodes of which these are the same are alike.
std::string kind_of(const ir::Graph& graph, std::size_t n, const ir::NodeReport& report) {
  const ir::Node& node = graph.nodes()[n];
  std::string kind = ir::cat(node.op.name(), report.kernel.empty() ? "" : "/", report.kernel);
  if (!node.inputs.empty()) kind += ir::cat(" ", graph.type(node.inputs.front()));
  return kind + ir::cat(" -> ", graph.type(node.outputs.front()));
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

double device_ms(const ir::Executable& executable) {
  const auto nanoseconds = gpu_vulkan::run::run_times(executable).value().device;
  ir::require(nanoseconds.has_value(), "the time on the device was not measured");
  return 1e-6 * static_cast<double>(*nanoseconds);
}

using Parts = std::map<std::string, std::vector<double>>;  ///< microseconds

void summarise(const std::vector<double>& ms, Measured& result) {
  result.ms = gpu_vulkan::calibrate::median(ms);
  result.best_ms = std::ranges::min(ms);
  result.worst_ms = std::ranges::max(ms);
  result.runs = ms.size();
}

/// Runs until the budget is spent; `run` gives the milliseconds that count, and notes their parts.
Measured by_host(const Effort& effort, Parts& parts, const std::function<double()>& run) {
  const auto warming = Clock::now();
  for (int warm = 0; warm < 3 || ms_since(warming) < effort.warm_ms; ++warm) run();
  parts.clear();
  constexpr std::size_t enough = 10000;  // they are short, and scatter as the host's do
  std::vector<double> ms;
  const auto measuring = Clock::now();
  while (ms.size() < effort.least_runs || (ms_since(measuring) < effort.budget_ms && ms.size() < enough))
    ms.push_back(run());
  Measured result;
  summarise(ms, result);
  for (const auto& [part, us] : parts) result.parts_us[part] = gpu_vulkan::calibrate::median(us);
  return result;
}

}  // namespace

std::string Measurer::device() { return with(Timestamps::nodes, false).executor->facts().name; }

Measurer::Device& Measurer::with(Timestamps timestamps, bool fuse) {
  Device& device = devices_[{timestamps, fuse}];
  if (device.executor != nullptr) return device;
  gpu_vulkan::device::VulkanOptions options = options_;
  options.timestamps = timestamps;
  options.fuse = fuse;
  auto executor = std::make_unique<gpu_vulkan::VulkanExecutor>(options);
  if (timestamps != Timestamps::off) {
    if (!executor->facts().timestamps) throw ir::Unsupported(executor->facts().name + " has no timestamps");
    const ir::Graph graph = flushing(flushed_bytes_);
    device.flush = executor->compile(graph, {{"one", ir::Tensor::of<float>({1}, {1})}}, {graph.results()});
    device.flush->run({});
    ir::require(device_ms(*device.flush) > 0, "the cache is not flushed: nothing is written");
  }
  device.executor = std::move(executor);
  return device;
}

Measured Measurer::measure(const Case& one) {
  const ir::Feeds feeds = values_for(one);
  if (one.measure == Measure::resident) return resident(one, feeds);
  return one.measure == Measure::gpu ? gpu(one, feeds) : host(one, feeds);
}

/// A single op is timed node by node, without the probes; a model from its first kernel to its
/// last, because a timestamp behind every kernel would keep kernels from overlapping.
Measured Measurer::gpu(const Case& one, const ir::Feeds& feeds) {
  Device& device = with(one.fuse ? Timestamps::run : Timestamps::nodes, one.fuse);
  const ir::Graph graph = one.fuse ? one.graph : probed(one.graph);
  const auto executable = device.executor->compile(graph, feeds, {graph.results()});
  Measured result;
  result.kernels = kernels_of(graph, *executable);
  ir::Tensors results;
  const auto run = [&] {
    device.flush->run({});
    executable->run_into(feeds, results);
    return one.fuse ? device_ms(*executable) : gpu_ms(graph, *executable);
  };
  const auto start = Clock::now();
  for (int warm = 0; warm < 3 || ms_since(start) < effort_.warm_ms; ++warm) run();
  const auto measuring = Clock::now();
  std::vector<double> ms;
  for (double spent = 0;
       ms.size() < effort_.least_runs ||
       (spent < effort_.budget_ms && ms.size() < effort_.most_runs && ms_since(measuring) < effort_.patience_ms);
       spent += ms.back())
    ms.push_back(run());
  ir::require(std::ranges::min(ms) > 0, "no time passed on the device");
  summarise(ms, result);
  if (one.fuse) result.parts_us = parts_of(one, feeds);
  return result;
}

/// How long nodes of a kind take together in one run of a model: medians. A timestamp behind every node keeps them
/// apart, so that they add up to more than the model's time.
std::map<std::string, double> Measurer::parts_of(const Case& one, const ir::Feeds& feeds) {
  Device& device = with(Timestamps::nodes, true);
  const auto executable = device.executor->compile(one.graph, feeds, {one.graph.results()});
  std::map<std::string, std::vector<double>> us;
  ir::Tensors results;
  for (std::size_t run = 0; run < effort_.least_runs; ++run) {
    device.flush->run({});
    executable->run_into(feeds, results);
    std::map<std::string, double> sums;
    const auto reports = executable->nodes();
    for (std::size_t n = 0; n < reports.size(); ++n)
      if (reports[n].placement == ir::Placement::gpu)
        sums[kind_of(one.graph, n, reports[n])] += 1e-3 * static_cast<double>(reports[n].nanoseconds.value_or(0));
    for (const auto& [kind, sum] : sums) us[kind].push_back(sum);
  }
  std::map<std::string, double> medians;
  for (const auto& [kind, all] : us) medians[kind] = gpu_vulkan::calibrate::median(all);
  return medians;
}

Measured Measurer::host(const Case& one, const ir::Feeds& feeds) {
  const bool is_overhead = one.measure == Measure::overhead;
  const auto executable = with(is_overhead ? Timestamps::run : Timestamps::off, one.fuse)
                              .executor->compile(one.graph, feeds, {one.graph.results()});
  ir::Tensors results;
  Parts parts;
  Measured result = by_host(effort_, parts, [&] {
    const auto start = Clock::now();
    executable->run_into(feeds, results);
    const double latency = ms_since(start);
    const RunTimes times = gpu_vulkan::run::run_times(*executable).value();
    const auto note = [&](const char* part, std::uint64_t nanoseconds) {
      parts[part].push_back(1e-3 * static_cast<double>(nanoseconds));
    };
    note("upload", times.upload);
    note("submit", times.submit);
    note("wait", times.wait);
    note("download", times.download);
    if (times.device) note("device", *times.device);
    return is_overhead ? latency - device_ms(*executable) : latency;
  });
  result.kernels = kernels_of(one.graph, *executable);
  return result;
}

/// Reading a row along the last axis of the first result is timed besides, as a part of its own.
Measured Measurer::resident(const Case& one, const ir::Feeds& feeds) {
  ir::Executor& executor = *with(Timestamps::off, one.fuse).executor;
  const ir::Value y = one.graph.results().front();
  const auto executable = executor.compile(one.graph, feeds, {one.graph.results()});
  const auto context = executable->context();
  for (ir::Value v = 0; v < one.graph.inputs().size(); ++v) {
    ir::Buffer buffer = executor.allocate(one.graph.type(v));
    buffer.write(feeds.at(one.graph.inputs()[v]));
    context->bind(v, buffer);
    if (one.is_in_place && v == 0) context->bind_result(y, buffer);
  }
  const ir::Shape& shape = one.graph.type(y).shape;
  ir::Box row{std::vector<std::int64_t>(shape.size()), std::vector<std::int64_t>(shape.size(), 1)};
  row.extents.back() = shape.back();
  ir::Tensor first(ir::type_of(one.graph.type(y), row));
  Parts parts;
  Measured result = by_host(effort_, parts, [&] {
    const auto start = Clock::now();
    const ir::Fence fence = context->submit();
    parts["submit"].push_back(1e3 * ms_since(start));
    fence.get();
    const double latency = ms_since(start);
    const auto reading = Clock::now();
    context->buffer(y).read(first.view(), row);
    parts["read"].push_back(1e3 * ms_since(reading));
    return latency;
  });
  result.kernels = kernels_of(one.graph, *executable);
  return result;
}

}  // namespace plumb::bench

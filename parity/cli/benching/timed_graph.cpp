// Times a graph by loops of its own: one that ships, one with the device's timestamps, one with those of nodes.
#include "parity/cli/benching/timed_graph.hpp"

#include <algorithm>

#include "gpu_vulkan/run/run_times.hpp"
#include "ir/cost.hpp"
#include "ir/formats/graph_file.hpp"
#include "parity/core/sha256.hpp"

namespace plumb::parity::cli::benching {
namespace {

using gpu_vulkan::device::Timestamps;
using studies::bench::Effort;

constexpr double ms_per_ns = 1e-6;

std::unique_ptr<ir::Executable> compiled(const flags::ChosenExecutor& on, const cases::Case& loaded,
                                         Timestamps timestamps) {
  const ir::Graph& graph = loaded.file->graph;
  const ir::Capture capture{.wanted = graph.results()};
  gpu_vulkan::VulkanExecutor* const device = on.device();
  if (device == nullptr) return on.executor->compile(graph, loaded.feeds, capture);
  const auto& options = device->options();
  return device->compile(graph, loaded.feeds, capture,
                         gpu_vulkan::GraphOptions{.tile = options.tile,
                                                  .staging = options.staging,
                                                  .timestamps = timestamps,
                                                  .alternative = options.alternative});
}

/// Whole runs on our device: its own share, and the host's.
void time_shares(const flags::ChosenExecutor& on, const cases::Case& loaded, const Effort& effort, TimedGraph& timed) {
  if (on.device() == nullptr || !on.device()->facts().timestamps) return;
  const auto executable = compiled(on, loaded, Timestamps::run);
  ir::Tensors results;
  const auto run = [&] { executable->run_into(loaded.feeds, results); };
  studies::bench::timed_runs(run, effort, [&](std::size_t) {
    const auto times = gpu_vulkan::run::run_times(*executable).value();
    const auto add = [](std::vector<double>& to, std::uint64_t ns) {
      to.push_back(ms_per_ns * static_cast<double>(ns));
    };
    if (times.device) add(timed.device_time, *times.device);
    add(timed.upload, times.upload);
    add(timed.submit, times.submit);
    add(timed.wait, times.wait);
    add(timed.download, times.download);
  });
}

void time_nodes(const flags::ChosenExecutor& on, const cases::Case& loaded, const Effort& effort, TimedGraph& timed) {
  const ir::Graph& graph = loaded.file->graph;
  const auto executable = compiled(on, loaded, Timestamps::nodes);
  std::vector<TimedNode> nodes;
  for (const ir::Node& node : graph.nodes()) nodes.push_back({node.label, std::string(node.op.name()), "", "", {}});
  ir::Tensors results;
  const auto run = [&] { executable->run_into(loaded.feeds, results); };
  studies::bench::timed_runs(run, effort, [&](std::size_t) {
    const auto reports = executable->nodes();
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (!reports[n].nanoseconds) continue;
      nodes[n].kernel = reports[n].kernel;
      nodes[n].tile = reports[n].tile;
      nodes[n].ms.push_back(ms_per_ns * static_cast<double>(*reports[n].nanoseconds));
    }
  });
  std::ranges::copy_if(nodes, std::back_inserter(timed.nodes), [](const TimedNode& node) { return !node.ms.empty(); });
}

void describe(const flags::ChosenExecutor& on, const cases::Case& loaded, const ir::Executable& executable,
              TimedGraph& timed) {
  const ir::Graph& graph = loaded.file->graph;
  timed.graph = loaded.name;
  timed.on = on.name;
  timed.subject = core::sha256(ir::formats::graph_json(graph));
  for (const ir::Node& node : graph.nodes()) {
    timed.flops += ir::cost_of(graph, node).flops;
    timed.bytes += static_cast<double>(ir::bytes_of(graph, node));
  }
  if (on.device() == nullptr) return;
  const auto& facts = on.device()->facts();
  timed.device = facts.name;
  timed.driver = facts.driver_name + ' ' + facts.driver_info;
  timed.is_software = facts.kind == gpu_vulkan::device::DeviceKind::software;
  const auto reports = executable.nodes();
  for (std::size_t n = 0; n < reports.size(); ++n)
    if (reports[n].placement == ir::Placement::cpu) timed.on_host.push_back(graph.nodes()[n].label);
}

}  // namespace

TimedGraph timed(const flags::ChosenExecutor& on, const cases::Case& loaded, const Effort& effort, bool nodes) {
  TimedGraph timed;
  on.begins(loaded);
  std::unique_ptr<ir::Executable> executable;
  timed.compile = studies::bench::ms_of([&] { executable = compiled(on, loaded, Timestamps::off); });
  ir::Tensors results;
  const auto run = [&] { executable->run_into(loaded.feeds, results); };
  timed.first_run = studies::bench::ms_of(run);
  timed.latency = studies::bench::timed_runs(run, effort);
  describe(on, loaded, *executable, timed);
  executable.reset();
  time_shares(on, loaded, effort, timed);
  if (nodes) time_nodes(on, loaded, effort, timed);
  return timed;
}

}  // namespace plumb::parity::cli::benching

// How the GPU would run a graph, for inspect: by kernel, on this machine's device or else a usual one.
#include "parity/cli/show/inspect_execution.hpp"

#include <map>

#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/cli/show/print.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli::show {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;

struct PlannedFor {
  gpu_vulkan::device::DeviceFacts facts;
  gpu_vulkan::plan::PlanOptions options = {};
};

PlannedFor device_or_usual() try {
  const gpu_vulkan::VulkanExecutor executor;
  return {executor.facts(), executor.plan_options()};
} catch (const ir::Error&) {  // no driver, no device, or options that are for another one
  return {gpu_vulkan::device::usual_device()};
}

ir::Feeds params_of(const ir::formats::GraphFile& file) {
  std::size_t bytes = 0;
  for (ir::Value v = 0; file.graph.is_source(v); ++v) bytes += file.graph.type(v).bytes();
  return bytes <= most_bytes ? ir::formats::materialise(file, 1) : ir::Feeds();
}

void print_kernels(const ir::Graph& graph, const std::vector<ir::NodeReport>& reports) {
  std::map<std::string, std::size_t> kernels;
  std::size_t absorbed = 0;
  for (const ir::NodeReport& report : reports) {
    if (report.placement == ir::Placement::gpu) ++kernels[report.kernel.empty() ? "(no work)" : report.kernel];
    absorbed += report.placement == ir::Placement::fused ? 1 : 0;
  }
  for (const auto& [kernel, nodes] : kernels) print("  {:>6} {}\n", nodes, kernel);
  if (absorbed != 0) print("  {:>6} in other nodes\n", absorbed);
  for (std::size_t n = 0; n < reports.size(); ++n)
    if (reports[n].placement == ir::Placement::cpu)
      print("    host '{}' ({}): {}\n", graph.nodes()[n].label, graph.nodes()[n].op.name(), reports[n].reason);
}

}  // namespace

void print_execution(const ir::formats::GraphFile& file) try {
  auto [facts, options] = device_or_usual();
  const ir::Capture capture{file.graph.results()};
  const auto fused = gpu_vulkan::passes::fuse(file.graph, capture, params_of(file), facts, {.on = true});
  const ref_cpu::CpuExecutor host;
  options.host = &host;
  const auto plan = gpu_vulkan::plan::make_plan(fused.graph, fused.capture, facts, options);
  print("\nnodes on {}, by kernel:\n", facts.name);
  print_kernels(file.graph, gpu_vulkan::passes::reports_of(fused, file.graph, plan.nodes));
  const auto lines = gpu_vulkan::passes::fusions(fused, file.graph);
  if (!lines.empty()) print("\nfused:\n");
  for (const std::string& line : lines) print("  {}\n", line);
} catch (const ir::Unsupported& reason) {
  print("\n{}\n", reason.what());
}

}  // namespace plumb::parity::cli::show

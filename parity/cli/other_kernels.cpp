// Runs graphs by kernels and tiles that their plan passes over.
#include "parity/cli/other_kernels.hpp"

#include <algorithm>
#include <iostream>

#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli {

gpu_vulkan::GraphOptions OtherKernels::graph_options() const {
  const gpu_vulkan::device::VulkanOptions& options = device_.options();
  return {
      .tile = options.tile, .staging = options.staging, .timestamps = options.timestamps, .alternative = alternative_};
}

std::unique_ptr<ir::Executable> OtherKernels::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                      const ir::Capture& capture) {
  return device_.compile(graph, params, capture, graph_options());
}

std::unique_ptr<ir::Executable> OtherKernels::compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                                           const ir::CompileOptions& options) {
  return device_.compile_held(graph, std::move(params), options, graph_options());
}

bool OtherKernels::differ_in(const ir::Graph& graph) const {
  const auto is_same = [](const ir::NodeReport& one, const ir::NodeReport& other) {
    return one.kernel == other.kernel && one.tile == other.tile;
  };
  for (const bool surviving : {true, false}) {  // as verify watches it, and as it ships
    const auto fused = device_.fused(graph, {graph.results(), surviving}, {});
    const auto best = device_.plan(fused.graph, fused.capture, 0),
               other = device_.plan(fused.graph, fused.capture, alternative_);
    if (!std::ranges::equal(best.nodes, other.nodes, is_same)) return true;
  }
  return false;
}

void note_idle_alternative(gpu_vulkan::VulkanExecutor& device, const std::string& name, const ir::Graph& graph) try {
  const std::int64_t alternative = device.options().alternative;
  if (alternative == 0 || OtherKernels(device, alternative).differ_in(graph)) return;
  std::cerr << "note: " << core::terminal::printable(name)
            << ": no node has another kernel or tile by --set alternative=" << alternative << '\n';
} catch (const ir::Error&) {
  // A graph that cannot be planned is reported where it is run.
}

}  // namespace plumb::parity::cli

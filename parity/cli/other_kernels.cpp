// Runs graphs by kernels and tiles that their plan passes over.
#include "parity/cli/other_kernels.hpp"

#include <algorithm>

#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/plan/plan.hpp"

namespace plumb::parity::cli {

std::unique_ptr<ir::Executable> OtherKernels::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                      const ir::Capture& capture) {
  const gpu_vulkan::device::VulkanOptions& options = device_.options();
  return device_.compile(graph, params, capture,
                         {.tile = options.tile,
                          .staging = options.staging,
                          .timestamps = options.timestamps,
                          .alternative = alternative_});
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

}  // namespace plumb::parity::cli

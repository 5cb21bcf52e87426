#pragma once

#include "gpu_vulkan/passes/pattern.hpp"

namespace plumb::gpu_vulkan::passes {

/// A graph and what passes made of it, to be planned in its place.
struct Fused {
  ir::Graph graph;
  ir::Capture capture = {};                  ///< values of this graph: those asked for of the original that survive
  std::vector<std::size_t> became = {};      ///< by node of the original: the node that computes what it did, or more
  std::vector<bool> absorbed = {};           ///< by node of the original: it is gone, another has its work
  std::vector<std::size_t> stands_for = {};  ///< by node of this graph: the one of the original it reports to
};

/// Runs all passes.
Fused fuse(const ir::Graph& graph, const ir::Capture& capture, const ir::Feeds& params,
           const device::DeviceFacts& facts, const region::RegionSetting& regions = {});

/// The graph as it is.
Fused unfused(const ir::Graph& graph, const ir::Capture& capture);

/// Reports by node of the original from those by node of the fused graph.
std::vector<ir::NodeReport> reports_of(const Fused& fused, const ir::Graph& original,
                                       const std::vector<ir::NodeReport>& reports);

/// A line for each node that stands for several: "layer_norm 'y': mean, centred, squares".
std::vector<std::string> fusions(const Fused& fused, const ir::Graph& original);

}  // namespace plumb::gpu_vulkan::passes

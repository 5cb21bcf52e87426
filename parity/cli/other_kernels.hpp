#pragma once

#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/core/handed_on.hpp"

namespace plumb::parity::cli {

/// A device's executor by the kernels and tiles of one VulkanOptions::alternative. Must not outlive it.
class OtherKernels final : public core::HandedOn {
 public:
  OtherKernels(gpu_vulkan::VulkanExecutor& device, std::int64_t alternative)
      : HandedOn(device), device_(device), alternative_(alternative) {}

  using ir::Executor::compile;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;

  /// Whether any node of the graph gets a kernel or a tile that is not its best one.
  bool differ_in(const ir::Graph& graph) const;

 private:
  std::unique_ptr<ir::Executable> compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                               const ir::CompileOptions& options) override;
  gpu_vulkan::GraphOptions graph_options() const;

  gpu_vulkan::VulkanExecutor& device_;
  const std::int64_t alternative_;
};

/// Says on stderr where the device's own VulkanOptions::alternative leaves every node of this graph its best kernel.
void note_idle_alternative(gpu_vulkan::VulkanExecutor& device, const std::string& name, const ir::Graph& graph);

}  // namespace plumb::parity::cli

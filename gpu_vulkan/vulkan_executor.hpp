#pragma once

#include "gpu_vulkan/device_facts.hpp"
#include "ir/executor.hpp"

namespace plumb::gpu_vulkan {

struct VulkanOptions {
  bool validation = false;
};

/// Lowers a graph to compute dispatches and runs it on one Vulkan device.
class VulkanExecutor final : public ir::Executor {
 public:
  /// Throws Unsupported when there is no driver or no device that will do.
  explicit VulkanExecutor(VulkanOptions options = {});
  ~VulkanExecutor() override;

  std::string_view name() const override { return "gpu_vulkan"; }
  bool has_kernel(const ir::OpSchema& schema) const override;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;
  const DeviceFacts& facts() const;

 private:
  struct Runtime;
  std::unique_ptr<Runtime> runtime_;
};

}  // namespace plumb::gpu_vulkan

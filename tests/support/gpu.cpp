#include "tests/support/gpu.hpp"

#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"

namespace plumb::testing {

const Gpu& gpu() {
  static std::unique_ptr<ir::Executor> executor;
  static const Gpu shared = [] {
    try {
      executor = std::make_unique<gpu_vulkan::VulkanExecutor>();
      return Gpu{executor.get(), ""};
    } catch (const ir::Unsupported& error) {
      return Gpu{nullptr, error.what()};
    }
  }();
  return shared;
}

}  // namespace plumb::testing

#include "tests/support/gpu.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>

#include "gpu_vulkan/vulkan_executor.hpp"

namespace plumb::testing {
namespace {

gpu_vulkan::VulkanOptions options() {
  const char* const validation = std::getenv("PLUMB_VALIDATION");
  return {.validation = validation != nullptr && std::string_view(validation) != "0"};
}

}  // namespace

const Gpu& gpu() {
  static std::unique_ptr<ir::Executor> executor;
  static const Gpu shared = [] {
    try {
      executor = std::make_unique<gpu_vulkan::VulkanExecutor>(options());
      return Gpu{executor.get(), ""};
    } catch (const ir::Unsupported& error) {
      return Gpu{nullptr, error.what()};
    }
  }();
  return shared;
}

}  // namespace plumb::testing

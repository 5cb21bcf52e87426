#include "tests/support/gpu.hpp"

#include <memory>

#if __has_include("gpu_vulkan/vulkan_executor.hpp")
#include "gpu_vulkan/vulkan_executor.hpp"
#endif

namespace plumb::testing {
namespace {

std::unique_ptr<ir::Executor> make() {
#if __has_include("gpu_vulkan/vulkan_executor.hpp")
  return std::make_unique<gpu_vulkan::VulkanExecutor>();
#else
  throw ir::Unsupported("this build has no Vulkan executor");
#endif
}

}  // namespace

const Gpu& gpu() {
  static std::unique_ptr<ir::Executor> executor;
  static const Gpu shared = [] {
    try {
      executor = make();
      return Gpu{executor.get(), ""};
    } catch (const ir::Unsupported& error) {
      return Gpu{nullptr, error.what()};
    }
  }();
  return shared;
}

}  // namespace plumb::testing
